#include "routing/check.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "fabric/builder.h"
#include "routing/chain.h"
#include "routing/design.h"
#include "routing/engines.h"
#include "routing/waits.h"
#include "tests/routing/fabrics.h"

namespace weft::routing {
namespace {

/// The fabric of most tests here: switch 0 - 1 - 2 - 3 - 0, one host each, LIDs 1..4, switch LIDs 5..8,
/// routed one way round or safely.
struct Ring : testing::Test {
  Case one{ring(4)};
  Routes safe = *up_down(one.problem);
  Destination host(std::uint32_t s) const { return one.problem.destinations[s]; }
  std::uint8_t port_to(std::uint32_t from, std::uint32_t to) const {
    const std::span<const fabric::Port> ports = one.fabric->ports(static_cast<SwitchId>(from));
    for (std::size_t p = 1; p < ports.size(); ++p)
      if (ports[p].peer && one.fabric->switch_of(ports[p].peer->node) == static_cast<SwitchId>(to))
        return static_cast<std::uint8_t>(p);
    return 255;
  }
  /// Everything goes round the ring in one direction.
  Routes one_way() const {
    Routes routes = safe;
    for (std::uint32_t s = 0; s < 4; ++s)
      for (const Destination& d : one.problem.destinations)
        if (raw(d.at) != s) routes = with_entry(routes, s, d.base, port_to(s, (s + 1) % 4));
    return routes;
  }
};

TEST_F(Ring, IsSafeWhenOrdered) {
  const CheckReport report = check(one.problem, safe);
  EXPECT_TRUE(report.safe());
  EXPECT_EQ(report.pairs, 4U * 3 + 2U * 4 * 4);
  EXPECT_EQ(report.longest, 2);
  EXPECT_EQ(explain(*one.fabric, report), "");
}

TEST_F(Ring, ShowsItsCreditCycleInWords) {
  const CheckReport report = check(one.problem, one_way());
  EXPECT_EQ(report.lost, 0U);
  EXPECT_FALSE(report.safe());
  ASSERT_EQ(report.cycle.size(), 4U);
  EXPECT_EQ(
      explain(*one.fabric, report),
      "credit cycle of 4 channels: 0x0000000000001000 (s0) port 2 VL 0 -> 0x0000000000001001 (s1) port 3 VL "
      "0 -> "
      "0x0000000000001002 (s2) port 3 VL 0 -> 0x0000000000001003 (s3) port 3 VL 0 -> back to the first");
}

TEST_F(Ring, FindsAHole) {
  const CheckReport report = check(one.problem, with_entry(safe, 2, host(2).base, 255));
  EXPECT_EQ(report.missing, 1U);
  EXPECT_EQ(report.lost, 3U + 4U);  // three hosts and four switches want the host on 2
  EXPECT_FALSE(report.safe());
  ASSERT_FALSE(report.examples.empty());
  EXPECT_NE(report.examples[0].find("0x0000000000001002 (s2) has no entry for it"), std::string::npos)
      << report.examples[0];
}

TEST_F(Ring, FindsALoop) {
  const Lid lid = host(0).base;
  Routes looping = with_entry(safe, 2, lid, port_to(2, 3));
  looping = with_entry(looping, 3, lid, port_to(3, 2));
  const CheckReport report = check(one.problem, looping);
  EXPECT_EQ(report.loops, 1U);
  EXPECT_GT(report.lost, 0U);
  EXPECT_FALSE(report.free_of_deadlock());
}

TEST_F(Ring, FindsALoopThroughTheSwitchThatShouldDeliver) {
  const CheckReport report = check(one.problem, with_entry(safe, 0, host(0).base, port_to(0, 1)));
  EXPECT_EQ(report.loops, 1U);
  EXPECT_EQ(report.lost, 3U + 4U);
}

TEST_F(Ring, FindsAPacketThatEndsAtTheWrongHost) {
  const CheckReport report = check(one.problem, with_entry(safe, 1, host(0).base, raw(host(1).port)));
  EXPECT_EQ(report.misdelivered, 1U);
  EXPECT_GT(report.lost, 0U);
}

TEST_F(Ring, FindsAPacketThatEndsInASwitch) {
  EXPECT_EQ(check(one.problem, with_entry(safe, 0, host(0).base, 0)).misdelivered, 1U);
}

TEST_F(Ring, FindsPortsThatAreDeadOrDoNotExist) {
  EXPECT_EQ(check(one.problem, with_entry(safe, 0, host(0).base, 77)).dead, 1U);
  EXPECT_EQ(check(one.problem, with_entry(safe, 0, host(0).base, 254)).dead, 1U);
  Drawing drawing = ring(4);
  drawing.cut(0);
  const Case cut(drawing);
  const CheckReport report = check(cut.problem, safe);
  EXPECT_GT(report.dead, 0U);
  EXPECT_FALSE(report.safe());
}

TEST_F(Ring, FindsALoopOfTrafficThatDoesNotCount) {
  Drawing drawing = ring(4, 0);
  const Case bare(drawing);
  Routes routes = *up_down(bare.problem);
  const Lid lid = bare.problem.destinations[0].base;
  const auto port = [&](std::uint32_t a, std::uint32_t b) {
    for (std::uint8_t p = 1; p < 3; ++p)
      if (raw(bare.fabric->ports(static_cast<SwitchId>(a))[p].peer->node) == b) return p;
    return std::uint8_t{255};
  };
  EXPECT_TRUE(check(bare.problem, routes).safe());
  routes = with_entry(with_entry(routes, 1, lid, port(1, 2)), 2, lid, port(2, 1));
  const CheckReport report = check(bare.problem, routes);
  EXPECT_EQ(report.loops, 1U);
  EXPECT_EQ(report.lost, 0U);
  EXPECT_FALSE(report.safe());
}

TEST_F(Ring, CountsSwitchToSwitchPairsApart) {
  const Case bare(ring(4, 0));
  const Routes routes = with_entry(*up_down(bare.problem), 1, bare.problem.destinations[0].base, 255);
  const CheckReport report = check(bare.problem, routes);
  EXPECT_GE(report.uncounted_lost, 1U);
  EXPECT_EQ(report.pairs, 0U);
  EXPECT_TRUE(report.safe());
}

TEST_F(Ring, CountsASwitchThatRunsAnSm) {
  Case bare(ring(4, 0));
  bare.problem.destinations[2].runs_sm = true;
  EXPECT_EQ(check(bare.problem, *up_down(bare.problem)).pairs, 2U * 3);
  const Routes routes = with_entry(*up_down(bare.problem), 2, bare.problem.destinations[0].base, 255);
  EXPECT_GE(check(bare.problem, routes).lost, 1U);
}

TEST_F(Ring, LeadsToTheDarkPortOfAHostThatIsAway) {
  const fabric::Fabric& whole = *one.fabric;
  const NodeId leaf = whole.node_of(host(2).at);
  fabric::Builder builder = fabric::builder_of(whole);
  builder.drop_node(whole.node(whole.port({leaf, host(2).port}).peer->node).guid);
  const fabric::Fabric fabric = builder.build();
  Problem problem = one.problem;
  problem.fabric = &fabric;
  const CheckReport gone = check(problem, safe);
  EXPECT_NE(gone.lost, 0U);
  problem.destinations[2].away = true;
  const CheckReport away = check(problem, safe);
  EXPECT_TRUE(away.safe()) << explain(fabric, away);
  EXPECT_TRUE(check_again(problem, safe, safe, check(one.problem, safe)).safe());
  // Anywhere else it is as wrong as for a host that is there.
  EXPECT_FALSE(check(problem, with_entry(safe, raw(host(2).at), host(2).base, raw(kPortDrop))).safe());
  EXPECT_FALSE(check(problem, with_entry(safe, 0, host(2).base, raw(kPortDrop))).safe());
}

TEST_F(Ring, IgnoresCyclesThatNoTrafficUses) {
  // All go one way round to the LID of a switch that nobody asks for, were there no hosts: no host, no cycle.
  const Case bare(ring(4, 0));
  Routes routes = *up_down(bare.problem);
  for (std::uint32_t s = 0; s < 4; ++s) {
    for (const Destination& d : bare.problem.destinations) {
      if (raw(d.at) == s) continue;
      for (std::uint8_t p = 1; p < 3; ++p)
        if (raw(bare.fabric->ports(static_cast<SwitchId>(s))[p].peer->node) == (s + 1) % 4)
          routes = with_entry(routes, s, d.base, p);
    }
  }
  EXPECT_TRUE(check(bare.problem, routes).cycle.empty());
}

TEST(Check, NamesSwitchesWhoseTableIsTooSmall) {
  Drawing drawing = ring(4);
  drawing.set_lft_capacity(8);
  const Case one(drawing);  // LIDs 1 to 8
  const CheckReport report = check(one.problem, *up_down(one.problem));
  EXPECT_EQ(report.too_small.size(), 4U);
  EXPECT_FALSE(report.safe());
  drawing.set_lft_capacity(9);
  const Case enough(drawing);
  EXPECT_TRUE(check(enough.problem, *up_down(enough.problem)).safe());
}

TEST(Check, CountsNoPairsAcrossACut) {
  Drawing drawing = ring(3);
  drawing.add_host(drawing.add_switch());
  const Case one(drawing);
  const CheckReport report = check(one.problem, *min_hop(one.problem));
  EXPECT_EQ(report.lost, 0U);
  EXPECT_EQ(report.missing, 0U);
}

TEST(Check, RefusesTablesOfAnotherShape) {
  const Case one(ring(4));
  const Case other(ring(5));
  EXPECT_FALSE(check(one.problem, *up_down(other.problem)).malformed.empty());
  Routes without = *up_down(one.problem);
  without.lfts[2] = nullptr;
  EXPECT_FALSE(check(one.problem, without).safe());
}

TEST(Check, TakesShortRowsForMissingEntries) {
  const Case one(xgft({18, 6}, {1, 2}));
  Routes routes = *min_hop(one.problem);
  routes.lfts[0] = std::make_shared<const Lft>(routes.lfts[0]->block(0));
  const CheckReport report = check(one.problem, routes);
  EXPECT_GT(report.missing, 0U);
  EXPECT_EQ(report.dead, 0U);
}

TEST(ChannelGraph, KeepsTheLanesOfALinkApart) {
  // Two switches, port 1 to port 1: waiting for oneself across two lanes and back is a cycle of both.
  const std::vector<std::uint16_t> peers{0xffff, 1, 0xffff, 0};
  ChannelGraph channels(peers, 2, 2);
  channels.depend(channels.id(0, 1, 0), 1, 1);
  channels.depend(channels.id(1, 1, 1), 1, 1);
  EXPECT_TRUE(channels.find_cycle().empty());
  channels.depend(channels.id(0, 1, 1), 1, 1);
  EXPECT_EQ(channels.find_cycle(),
            (std::vector<Channel>{{SwitchId{1}, PortNum{1}, Vl{1}}, {SwitchId{0}, PortNum{1}, Vl{1}}}));
}

TEST(ChannelGraph, FindsCyclesThatShareNoChannelTogether) {
  // Two rings of two switches each: 0 and 1, 2 and 3; port 1 leads to the other one.
  const std::vector<std::uint16_t> peers{0xfff0, 1, 0xfff0, 0, 0xfff0, 3, 0xfff0, 2};
  ChannelGraph channels(peers, 2, 1);
  for (std::uint32_t s = 0; s < 4; ++s) channels.depend(channels.id(s, 1), 1);
  const std::vector<std::vector<Channel>> cycles = channels.find_cycles(8, 2);
  ASSERT_EQ(cycles.size(), 2U);
  EXPECT_EQ(cycles[0].size(), 2U);
  EXPECT_EQ(raw(cycles[0][0].from) / 2, 0U);
  EXPECT_EQ(raw(cycles[1][0].from) / 2, 1U);
  EXPECT_EQ(channels.find_cycles(1, 2).size(), 1U);
}

RC_GTEST_PROP(ChannelGraph, ClosesACycleWhereTheWholeSearchFindsOne, ()) {
  // Every switch is linked to every other one: port p of switch s leads to switch p.
  constexpr std::uint16_t kSwitches = 5;
  std::vector<std::uint16_t> peers;
  for (std::uint16_t s = 0; s < kSwitches; ++s)
    for (std::uint16_t p = 0; p < kSwitches; ++p) peers.push_back(p == s ? 0xfff0 : p);
  const auto add_some = [](ChannelGraph& graph, int most) {
    for (int i = *rc::gen::inRange(0, most); i > 0; --i) {
      const auto s = *rc::gen::inRange<std::uint32_t>(0, kSwitches);
      const auto p = *rc::gen::inRange<std::uint32_t>(0, kSwitches);
      graph.depend(graph.id(s, p), *rc::gen::inRange<std::uint32_t>(0, kSwitches));
    }
  };
  ChannelGraph acyclic(peers, kSwitches, 1);
  add_some(acyclic, 12);
  RC_PRE(acyclic.find_cycle().empty());
  ChannelGraph more = acyclic;
  add_some(more, 6);
  RC_ASSERT(more.closes_cycle(acyclic) == !more.find_cycle().empty());
}

using ChannelWait = std::tuple<Channel, PortNum, Vl>;
std::vector<ChannelWait> waits_of(const CheckReport& report) {
  std::vector<ChannelWait> all;
  report.waits->channels.each_wait(
      [&all](const Channel& held, PortNum out, Vl lane) { all.emplace_back(held, out, lane); });
  return all;
}

RC_GTEST_PROP(CheckAgain, FindsWhatTheWholeCheckFinds, ()) {
  const Drawing whole = *rc::gen::element(xgft({1, 3, 4}, {1, 3, 3}), xgft({2, 4}, {1, 3}),
                                          xgft({2, 3, 3, 2}, {1, 2, 2, 3}), torus(4, 3, 1, 1));
  const Design design = learn({}, *Case(whole).fabric);
  const auto damaged = [&whole] {
    Drawing drawing = whole;
    for (int i = *rc::gen::inRange(0, 3); i > 0; --i) drawing.cut(*rc::gen::inRange(0U, 1U << 20));
    if (*rc::gen::inRange(0, 4) == 0) drawing.isolate(*rc::gen::inRange(0U, drawing.node_count()));
    return drawing;
  };
  Case before(damaged());
  Case after(damaged());
  before.problem.design = after.problem.design = &design;
  if (*rc::gen::inRange(0, 4) == 0) after.problem.destinations.back().runs_sm = true;
  const ChainResult old = *route(before.problem, {});
  after.problem.previous = &old.routes;
  Routes now = route(after.problem, {})->routes;
  if (*rc::gen::inRange(0, 4) == 0)
    now = with_entry(now, *rc::gen::inRange(0U, after.switches()), Lid{1},
                     *rc::gen::inRange<std::uint8_t>(0, 5));
  const CheckReport full = check(after.problem, now);
  const CheckReport quick = check_again(after.problem, now, old.routes, old.report);
  RC_ASSERT(quick.safe() == full.safe());
  RC_ASSERT(std::tuple(quick.pairs, quick.lost, quick.uncounted_lost, quick.longest) ==
            std::tuple(full.pairs, full.lost, full.uncounted_lost, full.longest));
  RC_ASSERT(waits_of(quick) == waits_of(full));
  RC_ASSERT(quick.waits->longest == full.waits->longest);
}

}  // namespace
}  // namespace weft::routing
