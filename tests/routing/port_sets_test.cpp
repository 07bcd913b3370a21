// Port sets of trees, against the slow obvious rule and their judge.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

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
  PortSets sets = *tree_port_sets(one.problem, *routes);
  const SetsReport report = check_sets(one.problem, *routes, sets);
  RC_ASSERT(report.strays == 0U);
  RC_ASSERT(report.loops == 0U);
  RC_ASSERT(report.cycle.empty());
  limit(sets, *rc::gen::inRange<std::size_t>(0, 3));
  const SetsReport limited = check_sets(one.problem, *routes, sets);
  RC_ASSERT(limited.strays == 0U);
  RC_ASSERT(limited.loops == 0U);
  RC_ASSERT(limited.cycle.empty());
}

RC_GTEST_PROP(PortSets, AreAllShortestPortsOfAWholeTree, ()) {
  const auto few = [](int upto) { return *rc::gen::inRange(1, upto + 1); };
  const Case one(xgft({few(2), few(4), few(3)}, {1, few(3), few(3)}, few(2)));
  const Routes routes = *fat_tree(one.problem);
  const PortSets sets = *tree_port_sets(one.problem, routes);
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
  const PortSets sets = *tree_port_sets(one.problem, *fat_tree(one.problem));
  EXPECT_EQ(sets.sets[0].size(), 2U);             // a leaf: none, and all ways up
  EXPECT_EQ(sets.sets[18].size(), 1U + 1U + 3U);  // a middle switch: up, and each of its leaves
}

TEST(PortSets, GiveUpTheLeastUsedWhereGroupsAreFew) {
  Drawing drawing = xgft({2, 4}, {1, 4});
  drawing.cut(0);  // leaf 0 lost one spine, so the other leaves have two sets
  const Case one(drawing);
  const Routes routes = *fat_tree(one.problem);
  PortSets sets = *tree_port_sets(one.problem, routes);
  EXPECT_EQ(sets.sets[1].size(), 3U);
  EXPECT_EQ(limit(sets, 1), 3U);  // at the three other leaves, those for leaf 0
  EXPECT_EQ(sets.at(1, 0), PortMask{});
  EXPECT_TRUE(check_sets(one.problem, routes, sets).safe());
}

TEST(PortSets, AreRefusedWhenTheyCouldComeRound) {
  const Case one(xgft({1, 3}, {1, 2}));
  const Routes routes = *fat_tree(one.problem);
  PortSets sets = *tree_port_sets(one.problem, routes);
  for (PortMask& set : sets.sets[3]) set = sets.sets[3].back();  // a spine that sends everything to one leaf,
  for (std::uint16_t& id : sets.set_of) id = std::min<std::uint16_t>(id, 1);
  const SetsReport report = check_sets(one.problem, routes, sets);
  EXPECT_FALSE(report.safe());
  EXPECT_GT(report.loops + report.strays, 0U);
}

}  // namespace
}  // namespace weft::routing
