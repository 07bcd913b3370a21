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
    EXPECT_EQ(plan.vl(static_cast<Sl>(sl), 0, 8, false), Vl{0});
    EXPECT_EQ(plan.vl(static_cast<Sl>(sl), 1, 8, false), Vl{1});
  }
  EXPECT_EQ(plan.vl(Sl{15}, 0, 8, false), Vl{15});
}

TEST(PlanLanes, GivesEveryLevelABlock) {
  const LanePlan plan = plan_lanes(four_levels(), 2, 8, {});
  EXPECT_EQ(plan.blocks, 4);
  EXPECT_TRUE(plan.problems.empty());
  EXPECT_EQ(plan.levels[1].sl, Sl{1}) << "the lowest that is free";
  EXPECT_EQ(plan.levels[2].sl, Sl{3});
  EXPECT_EQ(plan.vl(Sl{3}, 0, 8, false), Vl{4});
  EXPECT_EQ(plan.vl(Sl{3}, 1, 8, false), Vl{5});
  EXPECT_EQ(plan.vl(Sl{9}, 1, 8, false), Vl{1}) << "an SL of no level is the default level's";
  EXPECT_EQ(plan.vl(Sl{2}, 0, 2, true), Vl{1}) << "a host with two lanes";
  EXPECT_EQ(plan.vl(Sl{2}, 0, 1, true), Vl{0});
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
    for (int lane = 0; lane < 2; ++lane) EXPECT_LT(raw(plan.vl(static_cast<Sl>(sl), lane, 4, false)), 4);
}

TEST(PlanLanes, LevelsWithOneSlShareItsLanesByNature) {
  Policy policy;
  policy.levels = {{.name = "a", .sl = Sl{1}},
                   {.name = "b", .sl = Sl{1}, .mtu = Mtu::mtu1024},
                   {.name = "c", .sl = Sl{2}}};
  const LanePlan plan = plan_lanes(policy, 1, 2, {});
  EXPECT_TRUE(plan.problems.empty());
  EXPECT_EQ(plan.levels[1].block, plan.levels[0].block);
  EXPECT_EQ(plan.vl(Sl{2}, 0, 2, false), Vl{1});
  EXPECT_EQ(shares(plan, {0}, 2, false).size(), 2u);
  EXPECT_DOUBLE_EQ(plan.levels[2].share, 0.5);
}

TEST(Shares, AreOfTheLanesThatAPortUses) {
  const LanePlan plan = plan_lanes(four_levels(), 2, 8, {});
  const auto both = shares(plan, {0, 1}, 8, false);
  EXPECT_EQ(both.size(), 8u);
  double fair = 0;
  for (const LaneShare& lane : both) fair += lane.strict ? 0 : lane.share;
  EXPECT_DOUBLE_EQ(fair, 1.0);
  EXPECT_EQ(shares(plan, {1}, 8, false).size(), 4u);
  const auto host = shares(plan, {0}, 2, true);
  ASSERT_EQ(host.size(), 2u);
  EXPECT_TRUE(host[1].strict) << "what shares a lane with a strict level goes with it";
}

}  // namespace
}  // namespace weft::qos
