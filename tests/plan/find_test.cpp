#include "plan/find.h"

#include <gtest/gtest.h>

#include "tests/plan/addressed.h"
#include "tests/support/fabric_of.h"

namespace weft::plan {
namespace {

using fabric::PortRef;

class Find : public testing::Test {
 protected:
  const fabric::Fabric& fabric() const { return *published.view.fabric; }
  PortRef host(std::size_t i) const { return *fabric().find_port(host_ports(fabric()).at(i)); }
  std::string lid(PortRef end) const {
    return std::to_string(raw(lid_of(fabric(), published.view.plan->lids, fabric().port(end).guid)));
  }
  std::string refusal(std::string_view word) const {
    const auto found = find_port(published.view, word);
    return found ? "found" : found.error().what;
  }

  Published published{test::fabric_of("fat-tree:radix=4,levels=2")};
};

TEST_F(Find, APortTakesEveryWordForItsNodeWithTheNumberBehind) {
  const fabric::Node& leaf = fabric().node(SwitchId{0});
  const PortRef wanted{*fabric().find(leaf.guid), PortNum{2}};
  const std::string first = leaf.description.substr(0, leaf.description.find(' '));
  std::string small = first;
  for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  ASSERT_NE(small, first);
  for (const std::string& word :
       {leaf.description, first, small, to_string(leaf.guid), lid({wanted.node, PortNum{0}})})
    for (const char* port : {"/2", ":2", "/P2", "/p2", "/02"}) {
      const auto found = find_port(published.view, word + port);
      ASSERT_TRUE(found) << word << port << ": " << found.error().what;
      EXPECT_EQ(*found, wanted) << word << port;
    }
}

TEST_F(Find, AHostWithOnePortIsThatPort) {
  const fabric::Node& node = fabric().node(host(2).node);
  for (const std::string& word : {node.description, to_string(node.guid),
                                  to_string(fabric().port(host(2)).guid), lid(host(2)), lid(host(2)) + "/1"})
    EXPECT_EQ(find_port(published.view, word).value(), host(2)) << word;
}

TEST_F(Find, TellsWhatIsMissingOrTooMuch) {
  const std::string leaf = to_string(fabric().node(SwitchId{0}).guid);
  EXPECT_NE(refusal(leaf).find("has 4 ports; say which"), std::string::npos) << refusal(leaf);
  EXPECT_NE(refusal(leaf + "/5").find("has ports 1 to 4"), std::string::npos);
  EXPECT_EQ(refusal(leaf + "/0"), "found") << "where it is written";
  EXPECT_EQ(refusal("h00001/0"), "only switches have a port 0");
  EXPECT_NE(refusal("h00001/2").find("has port 1 only"), std::string::npos);
  EXPECT_EQ(find_end_port(published.view, leaf + "/2").error().code, Errc::invalid);
}

TEST_F(Find, TellsTheNameThatWasProbablyMeant) {
  EXPECT_EQ(refusal("h0001"), "nothing is called \"h0001\"; did you mean \"h00001\"?");
  EXPECT_EQ(refusal("h0001/1"), "nothing is called \"h0001\"; did you mean \"h00001\"?");
  EXPECT_EQ(refusal("nowhere-near"), "nothing is called \"nowhere-near\"");
  EXPECT_EQ(refusal("40000"), "nobody has LID 40000");
  EXPECT_EQ(refusal("0xdead"), "no node or port has the GUID 0x000000000000dead");
}

TEST_F(Find, GivesAHintOnlyWhereItHelps) {
  const auto hint = [&](std::string_view word) { return hint_on(find_port(published.view, word).error()); };
  EXPECT_EQ(hint("nowhere-near"), "weftctl nodes lists names, GUIDs and LIDs");
  EXPECT_EQ(hint("40000"), "weftctl nodes lists names, GUIDs and LIDs");
  EXPECT_EQ(hint(to_string(fabric().node(SwitchId{0}).guid)), "")
      << "it asks for a port's number, not for a name";
  EXPECT_EQ(hint("h00001/2"), "");
}

TEST_F(Find, AsksWhichOfSeveralWithOneName) {
  fabric::Builder builder = test::builder_from(fabric());
  for (std::size_t i = 0; i < 4; ++i)
    builder.set_description(fabric().node(host(i).node).guid, "ConnectX6 mlx5_0");
  const Published twins(builder.build());
  for (const char* word : {"connectx6", "ConnectX6/1", "CONNECTX6:1"}) {
    const auto found = find_named(twins.view, word);
    ASSERT_FALSE(found) << word;
    EXPECT_EQ(found.error().code, Errc::ambiguous) << word;
    EXPECT_NE(found.error().what.find(to_string(fabric().node(host(3).node).guid)), std::string::npos);
  }
}

TEST_F(Find, TakesNamesWithSlashesAndColonsAsTheyStand) {
  fabric::Builder builder = test::builder_from(fabric());
  const Guid leaf = fabric().node(SwitchId{0}).guid;
  builder.set_description(leaf, "MF0;core:MQM8700/L3/U1");
  builder.set_description(fabric().node(host(0).node).guid, "rack/7");
  const Published odd(builder.build());
  const NodeId node = *odd.view.fabric->find(leaf);
  EXPECT_EQ(find_named(odd.view, "MF0;core:MQM8700/L3/U1").value().node, node);
  EXPECT_EQ(find_port(odd.view, "mf0;core:mqm8700/l3/u1/3").value(), (PortRef{node, PortNum{3}}));
  EXPECT_EQ(find_named(odd.view, "rack/7").value().node, host(0).node);
  EXPECT_FALSE(find_named(odd.view, "rack/7").value().port_written);
}

}  // namespace
}  // namespace weft::plan
