#include "routing/chain.h"

#include <gtest/gtest.h>

#include "routing/engines.h"
#include "tests/routing/fabrics.h"

namespace weft::routing {
namespace {

TEST(Chain, TakesTheFatTreeEngineForATree) {
  const Case one(xgft({2, 3, 4}, {1, 3, 2}));
  const Result<ChainResult> result = route(one.problem, {});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->routes.engine, "fat-tree");
  EXPECT_EQ(result->recognised, "a tree of 3 ranks, 12/12/6 switches");
  EXPECT_TRUE(result->refusals.empty());
  EXPECT_TRUE(result->report.safe());
}

TEST(Chain, TakesMinHopWhereItIsSafe) {
  Drawing drawing = xgft({2, 3, 4}, {1, 3, 2});
  drawing.cable(0, 1);
  const Case one(drawing);
  const Result<ChainResult> result = route(one.problem, {});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->routes.engine, "min-hop");
  EXPECT_TRUE(result->refusals.empty());
  EXPECT_TRUE(result->report.safe());
}

TEST(Chain, SaysWhyItWentOnToUpDown) {
  const Case one(ring(5));
  const Result<ChainResult> result = route(one.problem, {});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->routes.engine, "up-down");
  ASSERT_EQ(result->refusals.size(), 1U);
  EXPECT_EQ(result->refusals[0].engine, "min-hop");
  EXPECT_TRUE(result->refusals[0].reason.starts_with("credit cycle of 5 channels"))
      << result->refusals[0].reason;
  EXPECT_FALSE(result->beyond_named);
}

TEST(Chain, EndsInUpDownWhateverIsNamed) {
  const Case one(ring(5));
  const Result<ChainResult> result = route(one.problem, {.engines = {"min-hop"}});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->routes.engine, "up-down");
  EXPECT_TRUE(result->beyond_named);
}

TEST(Chain, KnowsOnlyEnginesThatExist) {
  const Case one(ring(5));
  const Result<ChainResult> result = route(one.problem, {.engines = {"min-hop", "updn"}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::invalid);
  EXPECT_EQ(result.error().what,
            "no routing engine is called \"updn\"; there are auto, dragonfly, dragonfly+, "
            "fat-tree, layered, min-hop, up-down");
}

TEST(Chain, RefusesRatherThanBeUnsafe) {
  Drawing drawing = ring(5);
  drawing.set_lft_capacity(4);
  const Case one(drawing);
  const Result<ChainResult> result = route(one.problem, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::unsafe);
  EXPECT_NE(result.error().what.find("5 switches have too small a table"), std::string::npos)
      << result.error().what;
}

TEST(Chain, KeepsWhatStillWorksWhenToldTo) {
  Drawing drawing = ring(6);
  const Case before(drawing);
  const Result<Routes> last = up_down(before.problem);
  drawing.cut(2);
  drawing.cable(0, 3);
  drawing.cable(1, 4);
  Case after(drawing);
  after.problem.previous = &*last;
  const Result<ChainResult> result =
      route(after.problem, {.engines = {"min-hop"}, .on_failure = OnFailure::keep_last});
  ASSERT_TRUE(result);
  if (result->refusals.empty()) GTEST_SKIP() << "min-hop was safe here";
  EXPECT_TRUE(result->kept_last);
  EXPECT_TRUE(result->report.free_of_deadlock());
  EXPECT_GT(result->report.lost, 0U);
  EXPECT_FALSE(result->report.examples.empty());
}

TEST(Chain, FallsBackToUpDownWhenThereIsNothingToKeep) {
  const Case one(ring(6));
  const Result<ChainResult> result =
      route(one.problem, {.engines = {"min-hop"}, .on_failure = OnFailure::keep_last});
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->kept_last);
  EXPECT_EQ(result->routes.engine, "up-down");
}

TEST(KeepLast, DropsEntriesOverDeadLinksAndOfLidsWithoutOwner) {
  Drawing drawing = ring(4);
  const Case before(drawing);
  const Result<Routes> last = up_down(before.problem);
  Case after(drawing);
  after.problem.destinations.erase(after.problem.destinations.begin());
  after.problem.previous = &*last;
  const std::optional<Routes> kept = keep_last(after.problem);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->out(SwitchId{0}, before.problem.destinations[0].base), kPortDrop);
  EXPECT_EQ(kept->out(SwitchId{0}, before.problem.destinations[1].base),
            last->out(SwitchId{0}, before.problem.destinations[1].base));
}

TEST(KeepLast, GivesBackWhatWasCutWhenItsLinkIsBack) {
  const Drawing whole = ring(5);
  const Case before(whole);
  const ChainResult good = *route(before.problem, {.engines = {"up-down"}});
  Drawing broken = whole;
  broken.cut(0);
  Case during(broken);
  during.problem.previous = &good.routes;
  const ChainOptions keep{.engines = {"fat-tree"}, .on_failure = OnFailure::keep_last};
  const ChainResult kept = *route(during.problem, keep);
  ASSERT_TRUE(kept.kept_last);
  ASSERT_GT(kept.report.lost, 0u);
  Case after(whole);
  after.problem.previous = &kept.routes;
  after.problem.good = kept.good;
  const ChainResult again = *route(after.problem, keep);
  ASSERT_TRUE(again.kept_last);
  EXPECT_EQ(again.report.lost, 0u);
  for (std::size_t s = 0; s < good.routes.lfts.size(); ++s)
    EXPECT_TRUE(*again.routes.lfts[s] == *good.routes.lfts[s]) << s;
}

TEST(KeepLast, FollowsASwitchThatGotAnotherIndex) {
  Drawing drawing = ring(4);
  const std::uint32_t late = drawing.add_switch();
  drawing.cable(late, 0);
  const Case all(drawing);
  const Result<Routes> last = up_down(all.problem);
  // The same fabric without the hosts and switch 3: nodes keep their GUIDs, indices shift.
  drawing.isolate(3);
  Case after(drawing);
  after.problem.previous = &*last;
  const std::optional<Routes> kept = keep_last(after.problem);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->switches.back(), Drawing::guid(late));
  EXPECT_EQ(kept->out(SwitchId{4}, Lid{1}), last->out(SwitchId{4}, Lid{1}));
}

}  // namespace
}  // namespace weft::routing
