#include <gtest/gtest.h>
#include <functional>

#include "topology/blueprint.h"
#include "topology/topology.h"

namespace weft::topology {
namespace {

struct Damage {
  const char* part;  ///< Of the message.
  Errc code;
  std::function<void(Topology&)> make;
};

TEST(Validate, AcceptsWhatBlueprintsMake) {
  EXPECT_TRUE(validate(from_blueprint("ring:4").value()).has_value());
}

TEST(Validate, RefusesWhatCannotBeCabled) {
  const Damage damages[] = {
      {"has no id", Errc::invalid, [](Topology& t) { t.nodes[1].id.clear(); }},
      {"blank", Errc::invalid, [](Topology& t) { t.nodes[1].id = "a b"; }},
      {"@ or control", Errc::invalid, [](Topology& t) { t.nodes[1].id = "a@b"; }},
      {"64 bytes", Errc::invalid, [](Topology& t) { t.nodes[1].description = std::string(64, 'x'); }},
      {"GUID is 0", Errc::invalid, [](Topology& t) { t.nodes[1].guid = Guid{}; }},
      {"node type", Errc::invalid, [](Topology& t) { t.nodes[1].type = static_cast<NodeType>(9); }},
      {"255 ports", Errc::invalid, [](Topology& t) { t.nodes[1].port_count = 255; }},
      {"0 ports", Errc::invalid, [](Topology& t) { t.nodes[1].port_count = 0; }},
      {"port GUIDs", Errc::invalid, [](Topology& t) { t.nodes[1].port_guids.clear(); }},
      {"port GUID is 0", Errc::invalid, [](Topology& t) { t.nodes[1].port_guids[0] = Guid{}; }},
      {"two nodes have the id", Errc::conflict, [](Topology& t) { t.nodes[1].id = t.nodes[0].id; }},
      {"another node's", Errc::conflict, [](Topology& t) { t.nodes[1].guid = t.nodes[0].guid; }},
      {"another port's", Errc::conflict, [](Topology& t) { t.nodes[1].port_guids = t.nodes[0].port_guids; }},
      {"ends at node 99", Errc::invalid, [](Topology& t) { t.cables[0].a.node = 99; }},
      {"ends at port 0", Errc::invalid, [](Topology& t) { t.cables[0].a.port = PortNum{0}; }},
      {"ends at port 9", Errc::invalid, [](Topology& t) { t.cables[0].b.port = PortNum{9}; }},
      {"to itself", Errc::invalid, [](Topology& t) { t.cables[0].b = t.cables[0].a; }},
      {"cabled twice", Errc::conflict, [](Topology& t) { t.cables[1] = t.cables[0]; }},
      {"link width", Errc::invalid, [](Topology& t) { t.cables[0].width = static_cast<LinkWidth>(3); }},
      {"link speed", Errc::invalid, [](Topology& t) { t.cables[0].speed = LinkSpeed::none; }},
  };
  for (const Damage& damage : damages) {
    Topology topology = from_blueprint("ring:4").value();
    damage.make(topology);
    const auto checked = validate(topology);
    ASSERT_FALSE(checked.has_value()) << damage.part;
    EXPECT_EQ(checked.error().code, damage.code) << damage.part;
    EXPECT_NE(checked.error().what.find(damage.part), std::string::npos) << checked.error().what;
  }
}

TEST(Validate, AllowsACableBetweenTwoPortsOfOneSwitch) {
  Topology topology = from_blueprint("star:2:ports=4").value();
  topology.cables.push_back({{2, PortNum{3}}, {2, PortNum{4}}});
  EXPECT_TRUE(validate(topology).has_value());
}

}  // namespace
}  // namespace weft::topology
