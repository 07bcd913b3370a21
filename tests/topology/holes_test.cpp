#include "topology/holes.h"

#include <gtest/gtest.h>

#include "shape.h"
#include "topology/blueprint.h"

namespace weft::topology {
namespace {

TEST(Holes, TakeLinksBetweenSwitchesOnly) {
  const Topology whole = from_blueprint("fat-tree:radix=8,levels=3").value();
  const Topology holed = with_holes(whole, {.links = {.count = 20}}).value();
  EXPECT_EQ(holed.cables.size(), whole.cables.size() - 20);
  EXPECT_EQ(holed.nodes, whole.nodes);
  const auto used = degrees(holed);
  for (std::size_t i = 0; i < holed.nodes.size(); ++i)
    if (holed.nodes[i].type == NodeType::hca) {
      EXPECT_EQ(used[i], 1U);
    }
}

TEST(Holes, TakeSwitchesWithoutHostsFirst) {
  const Topology whole = from_blueprint("fat-tree:radix=8").value();
  const Topology holed = with_holes(whole, {.switches = {.count = 3}}).value();
  EXPECT_EQ(switches(holed), switches(whole) - 3);
  EXPECT_EQ(hosts(holed), hosts(whole));
  EXPECT_TRUE(validate(holed).has_value());
  EXPECT_EQ(with_holes(whole, {.switches = {.count = 5}}).error().code, Errc::invalid);
}

TEST(Holes, TakeHostsWithTheirSwitch) {
  const Topology holed = from_blueprint("torus:4,4:hosts=2,fail-switches=2").value();
  EXPECT_EQ(switches(holed), 14U);
  EXPECT_EQ(hosts(holed), 28U);
  EXPECT_TRUE(validate(holed).has_value());
}

TEST(Holes, LeavePortsAndGuidsUntouched) {
  const Topology whole = from_blueprint("torus:4,4").value();
  const Topology holed = from_blueprint("torus:4,4:fail-switches=3,fail-links=10%").value();
  for (const Node& node : holed.nodes) EXPECT_EQ(std::ranges::count(whole.nodes, node), 1) << node.id;
  for (const Cable& cable : holed.cables) {
    const auto named = [&](const Cable& other) {
      return whole.nodes[other.a.node].id == holed.nodes[cable.a.node].id && other.a.port == cable.a.port &&
             whole.nodes[other.b.node].id == holed.nodes[cable.b.node].id && other.b.port == cable.b.port;
    };
    EXPECT_EQ(std::ranges::count_if(whole.cables, named), 1);
  }
}

TEST(Holes, KeepTheFabricConnectedWhereAsked) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Topology whole = from_blueprint("torus:4,4").value();
    const Topology tree =
        with_holes(whole, {.links = {.count = 17}, .seed = seed, .keep_connected = true}).value();
    EXPECT_EQ(tree.cables.size(), 31U) << seed;
    EXPECT_EQ(parts(tree), 1U) << seed;
  }
}

TEST(Holes, DependOnTheSeed) {
  const Topology whole = from_blueprint("torus:4,4").value();
  const auto holed = [&](std::uint64_t seed) {
    return with_holes(whole, {.links = {.percent = 25}, .seed = seed}).value();
  };
  EXPECT_EQ(holed(1), holed(1));
  EXPECT_NE(holed(1), holed(2));
  EXPECT_EQ(holed(1).cables.size(), whole.cables.size() - 8);
}

}  // namespace
}  // namespace weft::topology
