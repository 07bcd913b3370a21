#include "qos/plan_lanes.h"

#include <gtest/gtest.h>

namespace weft::qos {
namespace {

Policy four_levels() {
  Policy policy;
  policy.levels = {{.name = "bulk", .sl = Sl{0}, .weight = 1},
                   {.name = "training", .weight = 3},
                   {.name = "kv-cache", .strict = true},
                   {.name = "storage", .sl = Sl{2}, .weight = 4}};
  policy.default_level = "bulk";
  return policy;
}

TEST(PlanLanes, WithoutLevelsAllSlsAreAlike) {
  const LanePlan plan = plan_lanes({}, 2, 8, {});
  EXPECT_TRUE(plan.levels.empty());
  for (int sl = 0; sl < 15; ++sl) {
    EXPECT_EQ(plan.vl(static_cast<Sl>(sl), 0, 8, Egress::switch_to_switch), Vl{0});
    EXPECT_EQ(plan.vl(static_cast<Sl>(sl), 1, 8, Egress::switch_to_switch), Vl{1});
  }
  EXPECT_EQ(plan.vl(Sl{15}, 0, 8, Egress::switch_to_switch), Vl{15});
}

TEST(PlanLanes, WithoutLevelsLayersHaveAVlEach) {
  LanePlan plan = plan_lanes({}, 1, 8, {});
  plan.layers = 3;
  EXPECT_EQ(plan.vl(Sl{0}, 0, 8, Egress::switch_to_switch), Vl{0});
  EXPECT_EQ(plan.vl(Sl{2}, 0, 8, Egress::switch_to_switch), Vl{2});
  EXPECT_EQ(plan.vl(Sl{4}, 0, 8, Egress::switch_to_switch), Vl{0}) << "an SL of no layer";
  EXPECT_EQ(plan.vl(Sl{2}, 0, 2, Egress::switch_to_host), Vl{1}) << "a host with two lanes";
  EXPECT_EQ(plan.vl(Sl{15}, 0, 8, Egress::switch_to_switch), Vl{15});
  EXPECT_FALSE(same_lanes(plan, plan_lanes({}, 1, 8, {})));
}

TEST(PlanLanes, GivesEveryLevelABlock) {
  const LanePlan plan = plan_lanes(four_levels(), 2, 8, {});
  EXPECT_EQ(plan.blocks, 4);
  EXPECT_TRUE(plan.problems.empty());
  EXPECT_EQ(plan.levels[1].sl, Sl{1}) << "the lowest that is free";
  EXPECT_EQ(plan.levels[2].sl, Sl{3});
  EXPECT_EQ(plan.vl(Sl{3}, 0, 8, Egress::switch_to_switch), Vl{4});
  EXPECT_EQ(plan.vl(Sl{3}, 1, 8, Egress::switch_to_switch), Vl{5});
  EXPECT_EQ(plan.vl(Sl{9}, 1, 8, Egress::switch_to_switch), Vl{1})
      << "an SL of no level is the default level's";
  EXPECT_EQ(plan.vl(Sl{2}, 0, 2, Egress::switch_to_host), Vl{1}) << "a host with two lanes";
  EXPECT_EQ(plan.vl(Sl{2}, 0, 1, Egress::switch_to_host), Vl{0});
  EXPECT_DOUBLE_EQ(plan.levels[3].share, 0.5);
  EXPECT_DOUBLE_EQ(plan.levels[2].share, 1.0) << "alone among the strict ones";
}

TEST(PlanLanes, KeepsAssignedSlsByName) {
  const LanePlan first = plan_lanes(four_levels(), 1, 8, {});
  Policy policy = four_levels();
  policy.levels.insert(policy.levels.begin(), {.name = "new"});
  const LanePlan second = plan_lanes(policy, 1, 8, first.assigned);
  EXPECT_EQ(second.levels[2].sl, first.levels[1].sl);
  EXPECT_EQ(second.levels[3].sl, first.levels[2].sl);
  EXPECT_EQ(second.levels[0].sl, Sl{4});
}

TEST(PlanLanes, SaysWhatWouldFitWhereLanesAreTooFew) {
  const LanePlan plan = plan_lanes(four_levels(), 2, 4, {});
  EXPECT_EQ(plan.blocks, 2);
  ASSERT_EQ(plan.problems.size(), 1u);
  EXPECT_NE(plan.problems[0].find("4 levels need 8 VLs, 2 each, and links between switches have 4: training, "
                                  "kv-cache, storage share theirs. 2 levels would fit"),
            std::string::npos)
      << plan.problems[0];
  for (int sl = 0; sl < 15; ++sl)
    for (int lane = 0; lane < 2; ++lane)
      EXPECT_LT(raw(plan.vl(static_cast<Sl>(sl), lane, 4, Egress::switch_to_switch)), 4);
}

TEST(PlanLanes, LevelsWithOneSlShareItsLanesByNature) {
  Policy policy;
  policy.levels = {{.name = "a", .sl = Sl{1}},
                   {.name = "b", .sl = Sl{1}, .mtu = Mtu::mtu1024},
                   {.name = "c", .sl = Sl{2}}};
  const LanePlan plan = plan_lanes(policy, 1, 2, {});
  EXPECT_TRUE(plan.problems.empty());
  EXPECT_EQ(plan.levels[1].block, plan.levels[0].block);
  EXPECT_EQ(plan.vl(Sl{2}, 0, 2, Egress::switch_to_switch), Vl{1});
  EXPECT_EQ(shares(plan, {0}, 2, Egress::switch_to_switch).size(), 2u);
  EXPECT_DOUBLE_EQ(plan.levels[2].share, 0.5);
}

/// SL n on VL n / 2; SL 14 dropped.
TypedTables halves() {
  TypedTable table{.arbitration = {.low = {{Vl{0}, 1}}}};
  for (std::size_t sl = 0; sl < 16; ++sl) table.sl2vl[sl] = static_cast<Vl>(sl == 14 ? 15 : sl / 2);
  TypedTables tables{table, table, table};
  tables.hosts.sl2vl[1] = Vl{9};
  return tables;
}

TEST(TypedTables, StandInsteadOfBlocksAndAreFoldedOntoTheLanesThereAre) {
  Policy policy = four_levels();
  policy.tables = halves();
  const LanePlan plan = plan_lanes(policy, 1, 2, {});
  EXPECT_TRUE(plan.problems.empty()) << "blocks do not count: " << plan.problems[0];
  EXPECT_EQ(plan.vl(Sl{13}, 0, 8, Egress::switch_to_switch), Vl{6});
  EXPECT_EQ(plan.vl(Sl{13}, 0, 4, Egress::switch_to_host), Vl{2});
  EXPECT_EQ(plan.vl(Sl{13}, 0, 1, Egress::router), Vl{0});
  EXPECT_EQ(plan.vl(Sl{1}, 0, 15, Egress::host), Vl{9});
  EXPECT_EQ(plan.vl(Sl{14}, 0, 2, Egress::host), Vl{15}) << "a drop stays one";
  EXPECT_EQ(plan.vl(Sl{15}, 0, 8, Egress::host), Vl{7}) << "as it is typed";
  EXPECT_TRUE(plan_lanes({.tables = halves()}, 1, 8, {}).active());
}

TEST(TypedTables, AreNotInForceWhereRoutingNeedsMoreLanes) {
  Policy policy = four_levels();
  policy.tables = halves();
  const LanePlan plan = plan_lanes(policy, 2, 8, {});
  EXPECT_FALSE(plan.typed);
  ASSERT_EQ(plan.problems.size(), 1u);
  EXPECT_NE(plan.problems[0].find("qos.tables is not in force: routing needs 2 VLs"), std::string::npos);
  EXPECT_EQ(plan.vl(Sl{3}, 1, 8, Egress::switch_to_switch), Vl{5}) << "levels are";
}

TEST(Shares, AreOfTheLanesThatAPortUses) {
  const LanePlan plan = plan_lanes(four_levels(), 2, 8, {});
  const auto both = shares(plan, {0, 1}, 8, Egress::switch_to_switch);
  EXPECT_EQ(both.size(), 8u);
  double fair = 0;
  for (const LaneShare& lane : both) fair += lane.strict ? 0 : lane.share;
  EXPECT_DOUBLE_EQ(fair, 1.0);
  EXPECT_EQ(shares(plan, {1}, 8, Egress::switch_to_switch).size(), 4u);
  const auto host = shares(plan, {0}, 2, Egress::host);
  ASSERT_EQ(host.size(), 2u);
  EXPECT_TRUE(host[1].strict) << "what shares a lane with a strict level goes with it";
}

}  // namespace
}  // namespace weft::qos
