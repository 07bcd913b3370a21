#include "sim/forward.h"

#include <gtest/gtest.h>

#include "tests/sim/fabrics.h"
#include "topology/load.h"

namespace weft::sim {
namespace {

using mad::AttrId;

Way by_lid(Lab& lab, std::string_view from, Lid to) {
  return route_by_lid(lab.world, lab.port(from, from[0] == 's' ? 0 : 1), to);
}

struct Routed : Lab {
  Routed() : Lab(row_of(4, false)) {
    make_active();
    route_row(4);
  }
};

TEST(RouteByLid, ReachesHostsAndSwitches) {
  Routed lab;
  const Way way = by_lid(lab, "h0", lab.lid_of("h3"));
  EXPECT_EQ(way.drop, Drop::none);
  EXPECT_EQ(way.end, lab.port("h3", 1));
  EXPECT_EQ(way.hops, 5);
  EXPECT_EQ(by_lid(lab, "h0", lab.lid_of("s2")).end, lab.port("s2", 0));
  EXPECT_EQ(by_lid(lab, "s3", lab.lid_of("h0")).end, lab.port("h0", 1));
  EXPECT_EQ(by_lid(lab, "h1", lab.lid_of("h1")).hops, 0);
}

TEST(RouteByLid, TellsWhyAPacketIsDropped) {
  Routed lab;
  const Lid to = lab.lid_of("h3");
  EXPECT_EQ(by_lid(lab, "h0", Lid{0}).drop, Drop::no_such_node);
  EXPECT_EQ(by_lid(lab, "h0", Lid{0xc001}).drop, Drop::no_such_node);
  EXPECT_EQ(by_lid(lab, "h0", Lid{500}).drop, Drop::above_top);
  lab.world.switch_of(lab.node("s0")).info.lft_top = Lid{5000};
  EXPECT_EQ(by_lid(lab, "h0", Lid{4000}).drop, Drop::no_entry);
  lab.entry("s1", to, 255);
  EXPECT_EQ(by_lid(lab, "h0", to).drop, Drop::entry_255);
  EXPECT_EQ(by_lid(lab, "h0", to).end, lab.port("s1", 1));
  lab.entry("s1", to, 77);
  EXPECT_EQ(by_lid(lab, "h0", to).drop, Drop::no_such_port);
  lab.entry("s1", to, 0);
  EXPECT_EQ(by_lid(lab, "h0", to).drop, Drop::not_for_this_node);
  lab.entry("s1", to, 3);
  EXPECT_EQ(by_lid(lab, "h0", to).drop, Drop::not_for_this_node);
  EXPECT_EQ(by_lid(lab, "h0", to).end, lab.port("h1", 1));
  lab.entry("s1", to, 1);
  EXPECT_EQ(by_lid(lab, "h0", to).drop, Drop::loop);
}

TEST(RouteByLid, NeedsAnActivePortAndAPeerThatIsArmed) {
  Routed lab;
  lab.info("s2", 1).state = PortState::armed;
  EXPECT_EQ(by_lid(lab, "h0", lab.lid_of("h3")).drop, Drop::none);
  EXPECT_EQ(by_lid(lab, "h3", lab.lid_of("h0")).drop, Drop::port_down) << "an Armed port sends nothing";
  lab.info("s2", 1).state = PortState::init;
  EXPECT_EQ(by_lid(lab, "h0", lab.lid_of("h3")).drop, Drop::port_down);
  EXPECT_EQ(by_lid(lab, "h0", lab.lid_of("h3")).end, lab.port("s1", 2));
}

TEST(RouteByLid, TakesPathBits) {
  Routed lab;
  lab.world.set_lid(lab.port("h1", 1), Lid{40}, 2);
  for (int i = 40; i < 44; ++i) lab.entry("s1", static_cast<Lid>(i), 3);
  EXPECT_EQ(by_lid(lab, "s1", Lid{43}).end, lab.port("h1", 1));
}

class DirectedRoutes : public ::testing::Test {
 protected:
  DirectedRoutes() : lab(row_of(4, false)), sm(lab, "h0", 1) {}
  /// GUID of the node that answers; nothing when none does.
  std::optional<Guid> answered_by(std::vector<int> exits) {
    const auto answer = sm.ask(get(AttrId::node_info, 0, std::move(exits)));
    if (!answer) return std::nullopt;
    return mad::decode<mad::NodeInfo>(answer->data).node_guid;
  }
  Guid guid(std::string_view id) { return lab.world.node(lab.node(id)).guid; }
  Lab lab;
  Listener sm;
};

TEST_F(DirectedRoutes, LeadThroughSwitchesOverLinksThatHaveOnlyTrained) {
  EXPECT_EQ(answered_by({}), guid("h0"));
  EXPECT_EQ(answered_by({1}), guid("s0"));
  EXPECT_EQ(answered_by({1, 2, 2, 2}), guid("s3"));
  EXPECT_EQ(answered_by({1, 2, 2, 2, 3}), guid("h3"));
}

TEST_F(DirectedRoutes, ComeBackWithTheSameInitialPathAndTheReturnPath) {
  const auto answer = sm.ask(get(AttrId::node_info, 0, {1, 2, 2}));
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->returning);
  EXPECT_EQ(mad::to_string(*answer->route), "0,1,2,2");
  EXPECT_EQ(answer->tid & 0xffffffff, 0x77u);
  EXPECT_EQ(answer->address.lid, kLidPermissive);
  const mad::Header header = mad::header_of(sm.got[0]);
  EXPECT_EQ(header.hop_pointer, 0);
  EXPECT_EQ(header.hop_count, 3);
  const std::array<std::uint8_t, 4> back{0, 3, 1, 1};
  EXPECT_TRUE(std::equal(back.begin(), back.end(), sm.got[0].bytes.begin() + 192));
}

TEST_F(DirectedRoutes, EndWhereTheyCannotGoOn) {
  EXPECT_FALSE(answered_by({2})) << "h0 has one port";
  EXPECT_FALSE(answered_by({1, 0}));
  EXPECT_FALSE(answered_by({1, 9}));
  EXPECT_EQ(lab.network.drops(Drop::no_such_port), 3u);
  EXPECT_FALSE(answered_by({1, 4})) << "no cable";
  EXPECT_EQ(lab.network.drops(Drop::port_down), 1u);
  EXPECT_FALSE(answered_by({1, 2, 3, 1})) << "through h1";
  EXPECT_EQ(lab.network.drops(Drop::not_a_switch), 1u);
}

TEST_F(DirectedRoutes, BreakWithTheLink) {
  lab.world.cut_link(lab.node("s0"), PortNum{2});
  EXPECT_FALSE(answered_by({1, 2}));
  lab.world.mend_link(lab.node("s1"), PortNum{1});
  EXPECT_EQ(answered_by({1, 2}), guid("s1"));
}

TEST_F(DirectedRoutes, PassAMuteAgentButNotADeadOne) {
  lab.world.set_mute(lab.node("s1"), Mute::agent);
  EXPECT_FALSE(answered_by({1, 2}));
  EXPECT_EQ(answered_by({1, 2, 2}), guid("s2"));
  lab.world.set_mute(lab.node("s1"), Mute::smi);
  EXPECT_FALSE(answered_by({1, 2, 2}));
  lab.world.set_mute(lab.node("s1"), Mute::none);
  EXPECT_EQ(answered_by({1, 2}), guid("s1"));
}

TEST_F(DirectedRoutes, ThatBreakTheRulesAreDropped) {
  const auto sent = [&](std::size_t byte, std::uint8_t value) {
    mad::Mad mad = mad::to_mad(get(AttrId::node_info, 0, {1}));
    mad.bytes[byte] = value;
    lab.network.send(sm.client, mad);
  };
  sent(6, 1);     // hop pointer
  sent(7, 64);    // hop count
  sent(4, 0x80);  // direction, in a request
  sent(32, 0);    // DrSLID
  lab.clock.run_until(std::chrono::milliseconds(1));
  EXPECT_TRUE(sm.got.empty());
  EXPECT_EQ(lab.network.drops(Drop::bad_route), 4u);
}

TEST_F(DirectedRoutes, ReachSixtyThreeHops) {
  std::vector<int> exits{1};
  while (exits.size() < 63) exits.push_back(exits.size() % 2 == 1 ? 2 : 1);
  EXPECT_EQ(answered_by(exits), guid("s0"));
}

TEST(Scale, HoldsFiveThousandSwitchesAndTheHighestLid) {
  constexpr Lid kHighest{0xbfff};
  const Result<topology::Topology> topology = topology::load("random:switches=5000,radix=16,hosts=44151");
  ASSERT_TRUE(topology) << topology.error().what;
  Lab lab(*topology);
  EXPECT_EQ(lab.world.switch_count(), 5000u);
  EXPECT_EQ(lab.world.node_count(), raw(kHighest)) << "a LID for each";
  NodeIndex host{};
  while (lab.world.is_switch(host)) host = NodeIndex{raw(host) + 1};
  const PortIndex port = lab.world.port_of(host, PortNum{1});
  const PortIndex peer = lab.world.port(port).peer;
  const NodeIndex sw = lab.world.port(peer).node;
  lab.world.set_lid(port, Lid{1});
  lab.world.set_lid(lab.world.node(sw).first_port, kHighest);
  lab.world.port(port).info.state = lab.world.port(peer).info.state = PortState::active;
  Listener program(lab, lab.world.node(host).id, 1);
  mad::LinearForwardingTable block;
  block.ports.fill(kPortDrop);
  block.ports[1] = lab.world.port(peer).number;
  ASSERT_EQ(program.ask(set(mad::AttrId::linear_forwarding, 0, block, {1}))->status, 0);
  block.ports.fill(kPortDrop);
  block.ports[63] = PortNum{0};
  ASSERT_EQ(program.ask(set(mad::AttrId::linear_forwarding, 767, block, {1}))->status, 0);
  mad::SwitchInfo info = lab.world.switch_of(sw).info;
  info.lft_top = kHighest;
  ASSERT_EQ(program.ask(set(mad::AttrId::switch_info, 0, info, {1}))->status, 0);
  EXPECT_TRUE(program.ask(to_lid(get(mad::AttrId::node_info, 0), kHighest)));
  EXPECT_EQ(program.ask(set(mad::AttrId::linear_forwarding, 768, block, {1}))->status, 0x1c);
}

}  // namespace
}  // namespace weft::sim
