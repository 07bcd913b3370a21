// Port sets, against the slow obvious rule and their judge.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "routing/check.h"
#include "routing/design.h"
#include "routing/engines.h"
#include "routing/port_sets.h"
#include "tests/routing/fabrics.h"

namespace weft::routing {
namespace {

Drawing any_broken_tree() {
  const auto few = [](int upto) { return *rc::gen::inRange(1, upto + 1); };
  Drawing drawing = *rc::gen::arbitrary<bool>() ? xgft({few(3), few(6)}, {1, few(4)}, few(3))
                                                : xgft({few(2), few(4), few(4)}, {1, few(3), few(3)}, few(2));
  const int cuts = *rc::gen::inRange(0, 4);
  for (int i = 0; i < cuts; ++i) drawing.cut(*rc::gen::inRange(0U, 1U << 20));
  return drawing;
}

RC_GTEST_PROP(PortSets, HoldTheStaticPortsAndNeverCloseACycle, ()) {
  Case one(any_broken_tree());
  one.problem.threads = *rc::gen::inRange(1U, 4U);
  const Result<Routes> routes = fat_tree(one.problem);
  if (!routes) RC_DISCARD(routes.error().what);
  PortSets sets = *port_sets(one.problem, *routes);
  const SetsReport report = check_sets(one.problem, *routes, sets);
  RC_ASSERT(report.strays == 0U);
  RC_ASSERT(report.loops.empty());
  RC_ASSERT(report.cycle.empty());
  limit(sets, *rc::gen::inRange<std::size_t>(0, 3));
  const SetsReport limited = check_sets(one.problem, *routes, sets);
  RC_ASSERT(limited.strays == 0U);
  RC_ASSERT(limited.loops.empty());
  RC_ASSERT(limited.cycle.empty());
}

RC_GTEST_PROP(PortSets, AreAllShortestPortsOfAWholeTree, ()) {
  const auto few = [](int upto) { return *rc::gen::inRange(1, upto + 1); };
  const Case one(xgft({few(2), few(4), few(3)}, {1, few(3), few(3)}, few(2)));
  const Routes routes = *fat_tree(one.problem);
  const PortSets sets = *port_sets(one.problem, routes);
  RC_ASSERT(check_sets(one.problem, routes, sets).safe());
  const std::vector<int> far = all_distances(*one.fabric);
  const std::uint32_t n = one.switches();
  for (std::size_t leaf = 0; leaf < sets.leaves.size(); ++leaf) {
    for (std::uint32_t s = 0; s < n; ++s) {
      PortMask expected{};
      const std::span<const fabric::Port> ports = one.fabric->ports(static_cast<SwitchId>(s));
      for (std::uint32_t p = 1; p < ports.size(); ++p) {
        const auto to = ports[p].peer ? one.fabric->switch_of(ports[p].peer->node) : std::nullopt;
        const std::uint32_t at = raw(sets.leaves[leaf]);
        if (to && far[raw(*to) * n + at] + 1 == far[s * n + at])
          expected[p / 64] |= std::uint64_t{1} << p % 64;
      }
      RC_ASSERT(sets.at(s, leaf) == expected);
    }
  }
}

TEST(PortSets, AreOneForAllLeavesAboveAndOneByPodBelow) {
  const Case one(xgft({3, 3, 6}, {1, 3, 3}));
  const PortSets sets = *port_sets(one.problem, *fat_tree(one.problem));
  EXPECT_EQ(sets.sets[0].size(), 2U);             // a leaf: none, and all ways up
  EXPECT_EQ(sets.sets[18].size(), 1U + 1U + 3U);  // a middle switch: up, and each of its leaves
}

TEST(PortSets, GiveUpTheLeastUsedWhereGroupsAreFew) {
  Drawing drawing = xgft({2, 4}, {1, 4});
  drawing.cut(0);  // leaf 0 lost one spine, so the other leaves have two sets
  const Case one(drawing);
  const Routes routes = *fat_tree(one.problem);
  PortSets sets = *port_sets(one.problem, routes);
  EXPECT_EQ(sets.sets[1].size(), 3U);
  EXPECT_EQ(limit(sets, 1), 3U);  // at the three other leaves, those for leaf 0
  EXPECT_EQ(sets.at(1, 0), PortMask{});
  EXPECT_TRUE(check_sets(one.problem, routes, sets).safe());
}

TEST(PortSets, AreRefusedWhenTheyCouldComeRound) {
  const Case one(xgft({1, 3}, {1, 2}));
  const Routes routes = *fat_tree(one.problem);
  PortSets sets = *port_sets(one.problem, routes);
  for (PortMask& set : sets.sets[3]) set = sets.sets[3].back();  // a spine that sends everything to one leaf,
  for (std::uint16_t& id : sets.set_of) id = std::min<std::uint16_t>(id, 1);
  const SetsReport report = check_sets(one.problem, routes, sets);
  EXPECT_FALSE(report.safe());
  EXPECT_GT(report.loops.size() + report.strays, 0U);
}

/// A dragonfly or Dragonfly+ with some links dead, and its tables.
/// Two pods of leaves below two middle switches each; every middle switch has a cable to every core.
Drawing mesh_of_pods() {
  Drawing drawing;
  std::vector<std::uint32_t> leaves(8);
  std::vector<std::uint32_t> middles(4);
  std::vector<std::uint32_t> cores(2);
  for (auto* row : {&leaves, &middles, &cores})
    for (std::uint32_t& s : *row) s = drawing.add_switch();
  for (const std::uint32_t leaf : leaves) drawing.add_hosts(leaf, 4);
  for (std::uint32_t i = 0; i < leaves.size(); ++i)
    for (std::uint32_t m = 0; m < 2; ++m) drawing.cable(leaves[i], middles[i / 4 * 2 + m]);
  for (const std::uint32_t middle : middles)
    for (const std::uint32_t core : cores) drawing.cable(middle, core);
  return drawing;
}

TEST(PortSets, HoldTheStaticPortsWhereALeafOfAMeshIsThin) {
  const Design design = learn({}, *Case(mesh_of_pods()).fabric);
  for (const std::size_t cut : {0U, 1U, 4U, 5U, 14U, 15U}) {
    Drawing less = mesh_of_pods();
    less.cut(cut);
    Case one(less);
    one.problem.design = &design;
    const Routes routes = *fat_tree(one.problem);
    const SetsReport report = check_sets(one.problem, routes, *port_sets(one.problem, routes));
    EXPECT_EQ(report.examples, std::vector<std::string>{}) << "without cable " << cut;
    EXPECT_TRUE(report.safe());
    EXPECT_LE(check(one.problem, routes).longest, 5) << "without cable " << cut;
  }
}

struct Grouped {
  Grouped(const Drawing& drawing, int cuts, Result<Routes> (*engine)(const Problem&)) : whole(drawing) {
    Drawing damaged = drawing;
    for (int i = 0; i < cuts; ++i) damaged.cut(*rc::gen::inRange(0U, 1U << 20));
    design = learn({}, *whole.fabric);
    one = std::make_unique<Case>(damaged);
    one->problem.design = &design;
    one->problem.threads = *rc::gen::inRange(1U, 4U);
    routes = engine(one->problem);
  }
  Case whole;
  Design design;
  std::unique_ptr<Case> one;
  Result<Routes> routes = fail(Errc::invalid, "");
};

Grouped any_grouped(int cuts) {
  const auto of = [](int from, int upto) { return *rc::gen::inRange(from, upto + 1); };
  if (*rc::gen::arbitrary<bool>()) {
    const int a = of(3, 5);
    const int h = of(1, 2);
    return {dragonfly(of(1, 2), a, h, of(3, std::min(7, a * h + 1))), cuts, dragonfly};
  }
  const int spines = of(2, 4);
  const int h = of(1, 3);
  return {dragonfly_plus(of(1, 2), of(2, 4), spines, h, of(2, std::min(6, spines * h + 1))), cuts,
          dragonfly_plus};
}

RC_GTEST_PROP(PortSets, OfGroupsAreSafeOnTheirLanes, ()) {
  const Grouped whole = any_grouped(0);
  if (!whole.routes) RC_DISCARD(whole.routes.error().what);
  const PortSets sets = *port_sets(whole.one->problem, *whole.routes);
  const SetsReport report = check_sets(whole.one->problem, *whole.routes, sets);
  RC_ASSERT(report.examples == std::vector<std::string>{});
  RC_ASSERT(report.cycle == "");
  RC_ASSERT(sets.state_classes == (whole.routes->engine == "dragonfly" ? 1 : 3));
}

RC_GTEST_PROP(PortSets, OfDamagedGroupsHoldTheStaticPortsAndAreMadeSafe, ()) {
  const Grouped damaged = any_grouped(*rc::gen::inRange(1, 4));
  if (!damaged.routes) RC_DISCARD(damaged.routes.error().what);
  // What the tables alone lose or close is theirs.
  if (!check(damaged.one->problem, *damaged.routes).safe()) RC_DISCARD("unsafe tables");
  PortSets sets = *port_sets(damaged.one->problem, *damaged.routes);
  const SetsReport report = check_sets(damaged.one->problem, *damaged.routes, sets);
  RC_ASSERT(report.examples == std::vector<std::string>{});
  RC_ASSERT(report.loops.empty());
  const Settled settled = make_safe(damaged.one->problem, *damaged.routes, sets);
  RC_ASSERT(settled.report.safe());
  RC_ASSERT((settled.lost == 0U) == report.safe());
  limit(sets, 2);
  const SetsReport limited = check_sets(damaged.one->problem, *damaged.routes, sets);
  RC_ASSERT(limited.safe());
}

TEST(PortSets, OfADragonflyAreAllRoutersWithAnExit) {
  const Case one(dragonfly(1, 3, 2, 4));  // two links between any two groups
  const Routes routes = *dragonfly(one.problem);
  const PortSets sets = *port_sets(one.problem, routes);
  const std::vector<int> far = all_distances(*one.fabric);
  for (std::uint32_t s = 0; s < one.switches(); ++s)
    for (std::size_t leaf = 0; leaf < sets.leaves.size(); ++leaf)
      EXPECT_EQ(sets.at(s, leaf) == PortMask{}, raw(sets.leaves[leaf]) == s);
}

TEST(PortSets, OfADragonflyPlusSendByAThirdGroupOnlyFromTheFirstSpine) {
  const Case one(dragonfly_plus(1, 2, 2, 4, 5));  // every spine has a link to every other group
  const Routes routes = *dragonfly_plus(one.problem);
  const PortSets sets = *port_sets(one.problem, routes);
  const std::uint32_t spine = 2;  // of the lowest group: may go up to any group on the way to a higher one
  const std::size_t leaf = 4;     // of the third group
  EXPECT_EQ(port_count(sets.at(spine, leaf, 1)), 4);
  EXPECT_EQ(port_count(sets.at(spine, leaf, 2)), 1);
  EXPECT_EQ(port_count(sets.spare_of(spine, sets.set_at(spine, leaf, 1))), 3);  // all but the minimal one
  EXPECT_EQ(sets.spare_of(spine, sets.set_at(spine, leaf, 2)), PortMask{});
  const std::uint32_t highest = 18;
  EXPECT_EQ(port_count(sets.at(highest, 0, 1)), 4);
  EXPECT_EQ(port_count(sets.at(highest, 6, 1)), 1);  // to the next lower: all others are below it
}

TEST(PortSets, AreNumberedByLeafWhereThereIsRoom) {
  const Case one(dragonfly_plus(1, 2, 2, 4, 5));  // 10 leaves, 3 state classes
  const Routes routes = *dragonfly_plus(one.problem);
  PortSets sets = *port_sets(one.problem, routes);
  EXPECT_LE(sets.group_at(2, 4, 1), sets.sets[2].size());
  EXPECT_FALSE(number_per_leaf(sets, 30));
  EXPECT_TRUE(number_per_leaf(sets, 31));
  EXPECT_EQ(sets.group_at(2, 4, 1), 14U);
  EXPECT_EQ(sets.group_at(6, 4, 1), 14U);  // everywhere the same
  EXPECT_EQ(sets.group_at(raw(sets.leaves[4]), 4, 1), 0U);
}

TEST(PortSets, OfSpareMembersAloneAreNoSets) {
  const Case one(dragonfly_plus(1, 2, 2, 4, 5));
  const Routes routes = *dragonfly_plus(one.problem);
  PortSets sets = *port_sets(one.problem, routes);
  const std::uint16_t set = sets.set_at(2, 4, 1);
  sets.spare[2][set] = sets.sets[2][set];
  EXPECT_GT(check_sets(one.problem, routes, sets).missing, 0U);
}

TEST(PortSets, AreRefusedForTablesWithoutRules) {
  const Case one(ring(4));
  EXPECT_EQ(port_sets(one.problem, *up_down(one.problem)).error().what,
            "there are no port sets for tables of up-down");
}

}  // namespace
}  // namespace weft::routing
