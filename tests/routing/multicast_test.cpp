// Multicast trees: against a walk of every packet, and their judge against planted faults.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <map>
#include <random>

#include "routing/chain.h"
#include "routing/design.h"
#include "routing/engines.h"
#include "routing/multicast.h"
#include "routing/waits.h"
#include "tests/routing/fabrics.h"

namespace weft::routing {
namespace {

constexpr Lid mlid(std::uint32_t index) { return static_cast<Lid>(0xc000U + index); }

Drawing any_fabric() {
  const int kind = *rc::gen::inRange(0, 5);
  const auto few = [](int upto) { return *rc::gen::inRange(1, upto + 1); };
  Drawing drawing = kind == 0   ? xgft({few(2), few(4), few(4)}, {1, few(3), few(3)}, few(2))
                    : kind == 1 ? xgft({few(3), few(6)}, {1, few(4)}, few(3))
                    : kind == 2 ? dragonfly(few(2), 3, 1, few(3) + 1)
                    : kind == 3 ? torus(few(4), few(3), few(2), 1)
                                : random_graph(few(12), few(12), *rc::gen::inRange(0U, 1U << 30));
  const int cuts = *rc::gen::inRange(0, 5);
  for (int i = 0; i < cuts; ++i) drawing.cut(*rc::gen::inRange(0U, 1U << 20));
  return drawing;
}

std::vector<MulticastGroup> any_groups(const Case& one, std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<MulticastGroup> groups(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    groups[i].mlid = mlid(i);
    for (const Destination& d : one.problem.destinations)
      if (random() % 3 == 0) groups[i].members.push_back({d.at, d.port, random() % 4 != 0});
  }
  return groups;
}

/// Where a packet sent at one end port comes out, and how often: (switch, port) to count.
using Arrivals = std::map<std::pair<std::uint32_t, std::uint8_t>, int>;
Arrivals send(const Case& one, const MulticastTree& tree, const MulticastMember& from) {
  std::map<std::uint32_t, PortMask> entry;
  for (const MulticastTree::Branch& b : tree.branches) entry[raw(b.at)] = b.ports;
  Arrivals out;
  std::deque<std::pair<std::uint32_t, std::uint8_t>> packets{{raw(from.at), raw(from.port)}};
  for (int steps = 0; !packets.empty() && steps < 10000; ++steps) {
    const std::uint32_t s = packets.front().first;
    const std::uint8_t in = packets.front().second;
    packets.pop_front();
    if (!entry.contains(s)) continue;
    each_port(entry[s], [&](std::uint8_t port) {
      if (port == in) return;
      const auto& peer = one.fabric->ports(static_cast<SwitchId>(s))[port].peer;
      if (peer && one.fabric->is_switch(peer->node))
        packets.emplace_back(raw(*one.fabric->switch_of(peer->node)), raw(peer->port));
      else
        ++out[{s, port}];
    });
  }
  return out;
}

RC_GTEST_PROP(Multicast, BringsEveryPacketToEveryReceiverOnce, ()) {
  const Case one(any_fabric());
  const ChainResult chain = *route(one.problem, {.vls = *rc::gen::inRange(1, 3)});
  const MulticastBasis basis(one.problem, chain.routes, chain.report.waits);
  const auto groups = any_groups(one, 4, *rc::gen::arbitrary<std::uint32_t>());
  const auto trees = multicast_trees(basis, groups, *rc::gen::inRange(1U, 4U));
  const std::vector<int> far = all_distances(*one.fabric);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    RC_ASSERT(trees[i] == multicast_tree(basis, groups[i]));
    RC_ASSERT(trees[i].unserved.empty());
    for (const MulticastMember& from : groups[i].members) {
      Arrivals expected;
      for (const MulticastMember& to : groups[i].members)
        if (to.receives && to != from && far[raw(from.at) * one.switches() + raw(to.at)] >= 0)
          expected[{raw(to.at), raw(to.port)}] = 1;
      RC_ASSERT(send(one, trees[i], from) == expected);
    }
  }
  const MulticastReport report =
      check_multicast(one.problem, chain.routes, *chain.report.waits, groups, trees);
  RC_ASSERT(report.examples == std::vector<std::string>{});
  RC_ASSERT(report.safe());
}

RC_GTEST_PROP(Multicast, IsAsShortAsCanBeInAWholeTree, ()) {
  const auto few = [](int upto) { return *rc::gen::inRange(1, upto + 1); };
  const Case one(xgft({few(2), few(3), few(4)}, {1, few(3), few(3)}));
  const ChainResult chain = *route(one.problem, {});
  const MulticastBasis basis(one.problem, chain.routes, chain.report.waits);
  RC_ASSERT(!basis.own_lane());
  MulticastGroup group = any_groups(one, 1, *rc::gen::arbitrary<std::uint32_t>()).front();
  std::erase_if(group.members, [](const MulticastMember& m) { return raw(m.port) == 0; });
  const std::vector<int> far = all_distances(*one.fabric);
  int longest = 0;
  for (const MulticastMember& a : group.members)
    for (const MulticastMember& b : group.members)
      longest = std::max(longest, far[raw(a.at) * one.switches() + raw(b.at)]);
  // The top is as far from all leaves as it is high, so the farthest two meet there.
  const MulticastTree tree = multicast_tree(basis, group);
  std::size_t links = 0;
  std::map<std::uint32_t, std::vector<std::uint32_t>> near;
  for (const MulticastTree::Branch& b : tree.branches) {
    each_port(b.ports, [&](std::uint8_t port) {
      const auto to =
          port == 0 ? std::nullopt : one.fabric->switch_of(one.fabric->ports(b.at)[port].peer->node);
      if (port == 0 || !one.fabric->is_switch(one.fabric->ports(b.at)[port].peer->node)) return;
      near[raw(b.at)].push_back(raw(*to));
      ++links;
    });
  }
  RC_ASSERT(links == 2 * (std::max<std::size_t>(tree.branches.size(), 1) - 1));
  int deepest = 0;
  for (const MulticastTree::Branch& from : tree.branches) {
    std::map<std::uint32_t, int> distance{{raw(from.at), 0}};
    std::deque<std::uint32_t> open{raw(from.at)};
    for (; !open.empty(); open.pop_front())
      for (const std::uint32_t next : near[open.front()])
        if (distance.emplace(next, distance[open.front()] + 1).second) open.push_back(next);
    for (const auto& [to, d] : distance) deepest = std::max(deepest, d);
  }
  RC_ASSERT(deepest == longest);
}

RC_GTEST_PROP(Multicast, AJoinOnlyAddsAndALeaveTakesThatAway, ()) {
  const auto few = [](int upto) { return *rc::gen::inRange(1, upto + 1); };
  const Case one(xgft({few(3), few(3), few(4)}, {1, few(3), few(3)}));
  const ChainResult chain = *route(one.problem, {});
  const MulticastBasis basis(one.problem, chain.routes, chain.report.waits);
  MulticastGroup group{mlid(*rc::gen::inRange(0U, 40U)), {}};
  std::map<std::uint32_t, PortMask> before;
  for (const Destination& d : one.problem.destinations) {
    if (d.is_switch()) continue;
    group.members.push_back({d.at, d.port, true});
    std::map<std::uint32_t, PortMask> now;
    for (const MulticastTree::Branch& b : multicast_tree(basis, group).branches) now[raw(b.at)] = b.ports;
    for (const auto& [s, ports] : before)
      for (std::size_t w = 0; w < ports.size(); ++w) RC_ASSERT((ports[w] & ~now[s][w]) == 0U);
    before = std::move(now);
  }
}

TEST(Multicast, SpreadsTopsEvenly) {
  const Case one(xgft({2, 4, 4}, {1, 2, 2}));
  const ChainResult chain = *route(one.problem, {});
  const MulticastBasis basis(one.problem, chain.routes, chain.report.waits);
  std::map<std::uint32_t, int> used;
  for (std::uint32_t i = 0; i < 40; ++i) {
    MulticastGroup group{mlid(i), {}};
    for (const Destination& d : one.problem.destinations)
      if (!d.is_switch()) group.members.push_back({d.at, d.port, true});
    for (const MulticastTree::Branch& b : multicast_tree(basis, group).branches)
      if (raw(b.at) >= 24) ++used[raw(b.at)];
  }
  EXPECT_EQ(used, (std::map<std::uint32_t, int>{{24, 10}, {25, 10}, {26, 10}, {27, 10}}));
}

TEST(Multicast, KeepsOtherTreesWhenATopDiesAndComesBackToTheOld) {
  Drawing drawing = xgft({2, 4}, {1, 4});
  const Case whole(drawing);
  const Design design = learn({}, *whole.fabric);
  drawing.isolate(4);  // the first spine
  Case broken(drawing);
  broken.problem.design = &design;
  const auto trees = [](const Case& one) {
    const ChainResult chain = *route(one.problem, {});
    const auto groups = [&] {
      std::vector<MulticastGroup> out;
      for (std::uint32_t i = 0; i < 12; ++i) {
        out.push_back({mlid(i), {}});
        for (const Destination& d : one.problem.destinations)
          if (!d.is_switch()) out.back().members.push_back({d.at, d.port, true});
      }
      return out;
    }();
    return multicast_trees(MulticastBasis(one.problem, chain.routes, chain.report.waits), groups);
  };
  const auto before = trees(whole);
  const auto after = trees(broken);
  int moved = 0;
  for (std::size_t i = 0; i < before.size(); ++i) moved += before[i].branches == after[i].branches ? 0 : 1;
  EXPECT_EQ(moved, 3);
  Case repaired(xgft({2, 4}, {1, 4}));
  repaired.problem.design = &design;
  EXPECT_EQ(trees(repaired), before);
}

TEST(Multicast, GoesRoundSwitchesWithoutRoom) {
  Drawing drawing = xgft({1, 3}, {1, 2});
  drawing.set_mft_capacity(3, 2);  // the first spine holds two MLIDs
  const Case one(drawing);
  const ChainResult chain = *route(one.problem, {});
  const MulticastBasis basis(one.problem, chain.routes, chain.report.waits);
  const std::vector<MulticastMember> all{
      {SwitchId{0}, PortNum{1}}, {SwitchId{1}, PortNum{1}}, {SwitchId{2}, PortNum{1}}};
  EXPECT_EQ(multicast_tree(basis, {mlid(0), all}).branches.back().at, SwitchId{3});
  EXPECT_EQ(multicast_tree(basis, {mlid(2), all}).branches.back().at, SwitchId{4});
  const MulticastTree none = multicast_tree(basis, {mlid(0x1000), all});
  EXPECT_EQ(none.unserved.size(), 3U);
  EXPECT_EQ(none.why, "the multicast table of 0x0000000000001000 has no room for MLID 0xd000");
}

TEST(Multicast, GoesOnTheLanesOfADragonflyAndOfADragonflyPlus) {
  for (const Drawing& drawing : {dragonfly(2, 4, 2, 9), dragonfly(1, 5, 1, 6), dragonfly(1, 3, 2, 4),
                                 dragonfly_plus(1, 3, 3, 3, 4), dragonfly_plus(2, 2, 4, 1, 5)}) {
    const Case one(drawing);
    const ChainResult chain = *route(one.problem, {.vls = 2});
    ASSERT_TRUE(chain.routes.lanes);
    const MulticastBasis basis(one.problem, chain.routes, chain.report.waits);
    EXPECT_FALSE(basis.own_lane()) << basis.why();
    const auto groups = any_groups(one, 8, 1);
    const auto trees = multicast_trees(basis, groups);
    const MulticastReport report =
        check_multicast(one.problem, chain.routes, *chain.report.waits, groups, trees);
    EXPECT_TRUE(report.safe());
    EXPECT_FALSE(trees.front().own_lane);
  }
}

/// Some such Dragonfly+ leave groups no safe way on the lanes of unicast; then they are said to need a lane of
/// their own, and are not served.
RC_GTEST_PROP(Multicast, IsSafeOnDamagedDragonfliesOrSaysThatItCannotBe, ()) {
  const Drawing whole = *rc::gen::element(dragonfly(1, 4, 2, 9), dragonfly(1, 6, 1, 7),
                                          dragonfly_plus(1, 3, 3, 3, 4), dragonfly_plus(1, 4, 4, 2, 5));
  Drawing damaged = whole;
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) damaged.cut(*rc::gen::inRange(0U, 1U << 20));
  const Design design = learn({}, *Case(whole).fabric);
  Case one(damaged);
  one.problem.design = &design;
  const ChainResult chain = *route(one.problem, {.vls = 2});
  if (!chain.routes.lanes) RC_DISCARD("another engine");
  const MulticastBasis basis(one.problem, chain.routes, chain.report.waits);
  const auto groups = any_groups(one, 4, *rc::gen::arbitrary<std::uint32_t>());
  const auto trees = multicast_trees(basis, groups);
  RC_ASSERT(check_multicast(one.problem, chain.routes, *chain.report.waits, groups, trees).safe());
  RC_CLASSIFY(basis.why() != "", "needs a lane of its own");
  for (const auto& tree : trees) RC_ASSERT(basis.why() != "" || !tree.own_lane);
}

RC_GTEST_PROP(Multicast, JoinsAllHostsOfADamagedTreeOnTheLanesOfUnicast, ()) {
  const Drawing whole =
      *rc::gen::element(xgft({1, 4, 6}, {1, 4, 4}), xgft({1, 6}, {1, 3}), xgft({1, 3, 3, 4}, {1, 3, 3, 3}));
  Drawing damaged = whole;
  for (int i = *rc::gen::inRange(0, 8); i > 0; --i) damaged.cut(*rc::gen::inRange(0U, 1U << 20));
  const Design design = learn({}, *Case(whole).fabric);
  Case one(damaged);
  one.problem.design = &design;
  const ChainResult chain = *route(one.problem, {});
  MulticastGroup group{mlid(1), {}};
  for (const Destination& d : one.problem.destinations)
    if (!d.is_switch()) group.members.push_back({d.at, d.port, true});
  const MulticastBasis basis(one.problem, chain.routes, chain.report.waits);
  const MulticastTree tree = multicast_tree(basis, group);
  RC_ASSERT(!tree.own_lane);
  RC_ASSERT(check_multicast(one.problem, chain.routes, *chain.report.waits, {&group, 1}, {&tree, 1}).safe());
}

TEST(MulticastCheck, FindsWhatIsWrong) {
  const Case one(xgft({1, 3}, {1, 2}));
  const ChainResult chain = *route(one.problem, {});
  const MulticastBasis basis(one.problem, chain.routes, chain.report.waits);
  const std::vector<MulticastGroup> group{
      {mlid(0), {{SwitchId{0}, PortNum{1}}, {SwitchId{1}, PortNum{1}}, {SwitchId{2}, PortNum{1}}}}};
  const MulticastTree good = multicast_tree(basis, group[0]);
  const auto judge = [&](const MulticastTree& tree) {
    return check_multicast(one.problem, chain.routes, *chain.report.waits, group, {&tree, 1});
  };
  EXPECT_TRUE(judge(good).safe());
  MulticastTree cut = good;
  cut.branches[1].ports = {};
  EXPECT_EQ(judge(cut).dead, 1U);
  EXPECT_EQ(judge(cut).lost, 1U);
  MulticastTree ring = good;  // both spines join leaf 0 and 1
  for (PortMask* ports : {&ring.branches[0].ports, &ring.branches[1].ports}) *ports = PortMask{0b1110};
  ring.branches.push_back({SwitchId{4}, PortMask{0b0110}});
  EXPECT_EQ(judge(ring).rings, 1U);
  EXPECT_FALSE(judge(ring).cycle.empty());
  MulticastTree stray = good;
  const std::vector<MulticastGroup> fewer{{mlid(0), {group[0].members[0], group[0].members[1]}}};
  EXPECT_EQ(check_multicast(one.problem, chain.routes, *chain.report.waits, fewer, {&stray, 1}).strays, 1U);
}

TEST(MulticastCheck, SeesTurnsThatUnicastWaitsFor) {
  // Trees over a leaf turn from down to up; with unicast over the spines that closes a ring.
  const Case one(xgft({1, 2}, {1, 2}));
  const ChainResult chain = *route(one.problem, {});
  const std::vector<MulticastGroup> group{{mlid(0), {{SwitchId{2}, PortNum{0}}, {SwitchId{3}, PortNum{0}}}},
                                          {mlid(1), {{SwitchId{2}, PortNum{0}}, {SwitchId{3}, PortNum{0}}}}};
  std::vector<MulticastTree> trees(2);
  for (std::uint32_t leaf = 0; leaf < 2; ++leaf) {
    const auto down = static_cast<std::uint8_t>(leaf + 1);
    trees[leaf].mlid = mlid(leaf);
    trees[leaf].branches = {{static_cast<SwitchId>(leaf), PortMask{0b1100}},
                            {SwitchId{2}, PortMask{1U | 1U << down}},
                            {SwitchId{3}, PortMask{1U | 1U << down}}};
  }
  const auto judge = [&] {
    return check_multicast(one.problem, chain.routes, *chain.report.waits, group, trees);
  };
  EXPECT_EQ(judge().lost, 0U);
  EXPECT_FALSE(judge().cycle.empty());
  for (MulticastTree& tree : trees) tree.own_lane = true;
  EXPECT_TRUE(judge().safe());
}

}  // namespace
}  // namespace weft::routing
