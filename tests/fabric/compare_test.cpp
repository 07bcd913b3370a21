#include "fabric/compare.h"

#include <set>

#include <gtest/gtest.h>

#include "tests/fabric/small_fabric.h"

namespace weft::fabric {
namespace {

using Kind = DifferenceKind;

std::vector<Node> nodes() { return {make_switch(10), make_switch(20), make_host(1), make_host(2)}; }
std::vector<Cable> cables() { return {{10, 1, 1, 1}, {20, 1, 2, 1}, {10, 8, 20, 8}, {10, 7, 20, 7}}; }
Fabric whole() { return make_builder(nodes(), cables()).build(); }

std::vector<Kind> kinds(const std::vector<Difference>& differences) {
  std::vector<Kind> kinds;
  for (const Difference& difference : differences) kinds.push_back(difference.kind);
  return kinds;
}

TEST(Compare, FindsNothingBetweenEqualFabrics) {
  EXPECT_TRUE(compare(whole(), whole()).empty());
  EXPECT_TRUE(compare(Fabric(), Fabric()).empty());
}

TEST(Compare, TellsALinkOnceByItsLowerEnd) {
  std::vector<Cable> fewer = cables();
  fewer.pop_back();
  const Fabric cut = make_builder(nodes(), fewer).build();
  const std::vector<Difference> gone = compare(whole(), cut);
  ASSERT_EQ(kinds(gone), std::vector{Kind::link_gone});
  EXPECT_EQ(gone[0].node, Guid{10});
  EXPECT_EQ(gone[0].port, PortNum{7});
  EXPECT_EQ(gone[0].peer, Guid{20});
  EXPECT_EQ(gone[0].peer_port, PortNum{7});
  EXPECT_EQ(gone[0].what,
            "link 0x000000000000000a (switch-10) port 7 to 0x0000000000000014 (switch-20) port 7 is gone");
  EXPECT_EQ(kinds(compare(cut, whole())), std::vector{Kind::link_new});
}

TEST(Compare, TellsAMovedCableAsGoneAndNew) {
  std::vector<Cable> moved = cables();
  moved[3] = {10, 7, 20, 6};
  const std::vector<Difference> found = compare(whole(), make_builder(nodes(), moved).build());
  EXPECT_EQ(kinds(found), (std::vector{Kind::link_gone, Kind::link_new}));
  EXPECT_EQ(found[0].peer_port, PortNum{7});
  EXPECT_EQ(found[1].peer_port, PortNum{6});
}

TEST(Compare, TellsANodeWithoutItsLinks) {
  const Fabric without = make_builder(std::vector{make_switch(10), make_switch(20), make_host(2)},
                                      std::vector<Cable>{{20, 1, 2, 1}, {10, 8, 20, 8}, {10, 7, 20, 7}})
                             .build();
  const std::vector<Difference> gone = compare(whole(), without);
  ASSERT_EQ(kinds(gone), std::vector{Kind::node_gone});
  EXPECT_EQ(gone[0].node, Guid{1});
  EXPECT_EQ(gone[0].what,
            "hca 0x0000000000000001 (host-1) is gone; it hung on 0x000000000000000a (switch-10) port 1");
  const std::vector<Difference> come = compare(without, whole());
  ASSERT_EQ(kinds(come), std::vector{Kind::node_new});
  EXPECT_EQ(come[0].what, "hca 0x0000000000000001 (host-1) is new");
}

TEST(Compare, TellsEveryNodeOfAFirstFabric) {
  EXPECT_EQ(kinds(compare(Fabric(), whole())), std::vector<Kind>(4, Kind::node_new));
  EXPECT_EQ(kinds(compare(whole(), Fabric())), std::vector<Kind>(4, Kind::node_gone));
}

TEST(Compare, TellsARateOncePerLinkAndAStateOncePerPort) {
  Builder builder = make_builder(nodes(), cables());
  Port slow = up();
  slow.width = LinkWidth::x1;
  slow.state = PortState::armed;
  must(builder.set_port(Guid{10}, PortNum{8}, slow));
  must(builder.set_port(Guid{20}, PortNum{8}, slow));
  const std::vector<Difference> found = compare(whole(), builder.build());
  ASSERT_EQ(kinds(found),
            (std::vector{Kind::link_rate_changed, Kind::port_state_changed, Kind::port_state_changed}));
  EXPECT_EQ(found[0].what,
            "link 0x000000000000000a (switch-10) port 8 to 0x0000000000000014 (switch-20) port 8 was 4x HDR, "
            "is 1x HDR");
  EXPECT_EQ(found[1].node, Guid{10});
  EXPECT_EQ(found[1].peer, Guid{20});
  EXPECT_EQ(found[2].node, Guid{20});
  EXPECT_EQ(found[2].what, "0x0000000000000014 (switch-20) port 8 was active, is armed");
}

TEST(Compare, TellsTheStateOfAPortWithoutALink) {
  Builder builder = make_builder(nodes(), cables());
  Port lone = up();
  lone.state = PortState::init;
  must(builder.set_port(Guid{10}, PortNum{3}, lone));
  const std::vector<Difference> found = compare(whole(), builder.build());
  ASSERT_EQ(kinds(found), std::vector{Kind::port_state_changed});
  EXPECT_EQ(found[0].peer, Guid{});
}

TEST(Compare, TellsWhatChangedOfANode) {
  std::vector<Node> changed = nodes();
  changed[0].description = "spine";
  changed[1].port_count = 12;
  changed[2].type = NodeType::router;
  const std::vector<Difference> found = compare(whole(), make_builder(changed, cables()).build());
  ASSERT_EQ(kinds(found), std::vector<Kind>(3, Kind::node_changed));
  EXPECT_EQ(found[0].what, "router 0x0000000000000001 (host-1) was a hca");
  EXPECT_EQ(found[1].what, "switch 0x000000000000000a (spine) was called switch-10");
  EXPECT_EQ(found[2].what, "switch 0x0000000000000014 (switch-20) had 8 ports, has 12");
}

TEST(DifferenceKindNames, AreAllDifferent) {
  std::set<std::string_view> names;
  for (int kind = 0; kind <= static_cast<int>(Kind::port_state_changed); ++kind)
    names.insert(name(static_cast<Kind>(kind)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(Kind::port_state_changed) + 1);
  EXPECT_FALSE(names.contains("?"));
}

}  // namespace
}  // namespace weft::fabric
