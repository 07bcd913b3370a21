// The dragonfly+ engine and its recognition.

#include <array>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "routing/chain.h"
#include "routing/check.h"
#include "routing/design.h"
#include "routing/dragonfly_plus_shape.h"
#include "routing/engines.h"
#include "routing/recognise.h"
#include "tests/routing/fabrics.h"

namespace weft::routing {
namespace {

struct Size {
  int hosts, leaves, spines, global, groups;
};

Size any_size() {
  const auto of = [](int from, int upto) { return *rc::gen::inRange(from, upto + 1); };
  Size size{of(1, 3), of(2, 4), of(2, 4), of(1, 3), 0};
  size.groups = of(2, std::min(6, size.spines * size.global + 1));
  return size;
}
Drawing draw(const Size& s) { return dragonfly_plus(s.hosts, s.leaves, s.spines, s.global, s.groups); }

RC_GTEST_PROP(DragonflyPlus, WholeIsSafeAndMinimal, ()) {
  const Case one(draw(any_size()), *rc::gen::element<std::uint8_t>(0, 0, 1));
  const Result<Routes> routes = dragonfly_plus(one.problem);
  RC_ASSERT(routes.has_value());
  const Verdict verdict = judge(one.problem, *routes);
  RC_ASSERT(verdict.lost == 0U);
  RC_ASSERT(!verdict.loops);
  RC_ASSERT(!verdict.cycle);
  RC_ASSERT(check(one.problem, *routes).safe());
  // Between hosts as short as the shortest ways there are.
  const std::vector<int> far = all_distances(*one.fabric);
  int longest = 0;
  for (const Destination& a : one.problem.destinations)
    for (const Destination& b : one.problem.destinations)
      if (!a.is_switch() && !b.is_switch())
        longest = std::max(longest, far[raw(a.at) * one.switches() + raw(b.at)]);
  RC_ASSERT(longest_between_hosts(one.problem, *routes) == longest);
}

RC_GTEST_PROP(DragonflyPlus, NeedsOneLaneBetweenHosts, ()) {
  Case one(draw(any_size()));
  Routes routes = *dragonfly_plus(one.problem);
  routes.lanes = nullptr;
  // Only hosts talk: the judge takes its pairs from the destinations.
  std::erase_if(one.problem.destinations, [](const Destination& d) { return d.is_switch(); });
  RC_ASSERT(!judge(one.problem, routes).cycle);
}

RC_GTEST_PROP(DragonflyPlus, CheckAgreesWithTheJudgeOnDamageAndRepairBringsAllBack, ()) {
  const Drawing drawing = draw(any_size());
  Drawing damaged = drawing;
  const Case whole(drawing);
  const Design design = learn({}, *whole.fabric);
  const int cuts = *rc::gen::inRange(1, 6);
  for (int i = 0; i < cuts; ++i) damaged.cut(*rc::gen::inRange(0U, 1U << 20));
  if (*rc::gen::inRange(0, 4) == 0) damaged.isolate(*rc::gen::inRange(0U, whole.switches()));
  Case one(damaged);
  one.problem.design = &design;
  const Result<Routes> routes = dragonfly_plus(one.problem);
  if (!routes) RC_DISCARD(routes.error().what);
  const Verdict verdict = judge(one.problem, *routes);
  const CheckReport report = check(one.problem, *routes);
  RC_ASSERT(!verdict.loops);
  RC_ASSERT(report.lost == verdict.lost);
  RC_ASSERT(report.cycle.empty() == !verdict.cycle);
  one.problem.threads = *rc::gen::inRange(2U, 9U);
  const Routes threaded = *dragonfly_plus(one.problem);
  for (std::uint32_t s = 0; s < one.switches(); ++s) RC_ASSERT(*threaded.lfts[s] == *routes->lfts[s]);
  const Result<ChainResult> chain = route(one.problem, {.vls = 2});
  RC_ASSERT(chain.has_value());
  RC_ASSERT(chain->report.safe());

  const Routes before = *dragonfly_plus(whole.problem);
  Case repaired(drawing);
  repaired.problem.design = &design;
  repaired.problem.previous = &*routes;
  const Routes after = *dragonfly_plus(repaired.problem);
  for (std::uint32_t s = 0; s < whole.switches(); ++s) RC_ASSERT(*after.lfts[s] == *before.lfts[s]);
}

TEST(DragonflyPlus, StaysSafeWithAnyOneLinkDead) {
  const Drawing drawing = dragonfly_plus(1, 3, 3, 2, 4);
  const Case whole(drawing);
  const Design design = learn({}, *whole.fabric);
  for (std::size_t cut = 0; cut < drawing.switch_cables(); ++cut) {
    Drawing damaged = drawing;
    damaged.cut(cut);
    Case one(damaged);
    one.problem.design = &design;
    const CheckReport report = check(one.problem, *dragonfly_plus(one.problem));
    EXPECT_TRUE(report.safe()) << cut << ": " << explain(*one.fabric, report);
  }
}

/// Also with two leaves, or one global link a spine, where a leaf that has lost a spine must often go down
/// and up again inside its group. Of these very few have no way that the two lanes allow.
TEST(DragonflyPlus, KeepsItsTablesWithSomeLinksDead) {
  const std::array drawings{dragonfly_plus(1, 3, 3, 2, 4), dragonfly_plus(1, 4, 4, 2, 6),
                            dragonfly_plus(2, 4, 4, 3, 5), dragonfly_plus(1, 2, 3, 1, 4),
                            dragonfly_plus(2, 2, 4, 1, 5)};
  std::vector<std::string> unsafe;
  for (std::uint32_t seed = 1; seed <= 100; ++seed) {
    std::mt19937 random(seed);
    const Drawing& whole = drawings[random() % drawings.size()];
    const Design design = learn({}, *Case(whole).fabric);
    Drawing damaged = whole;
    for (std::size_t cuts = 1 + random() % 3; cuts > 0; --cuts) damaged.cut(random());
    Case one(damaged);
    one.problem.design = &design;
    const Result<Routes> routes = dragonfly_plus(one.problem);
    ASSERT_TRUE(routes) << routes.error().what;
    const CheckReport report = check(one.problem, *routes);
    if (!report.safe()) unsafe.push_back(fmt::format("seed {}: {}", seed, explain(*one.fabric, report)));
  }
  EXPECT_EQ(unsafe, std::vector<std::string>{});
}

TEST(DragonflyPlus, MovesOnlyFlowsOfADeadLink) {
  const Drawing drawing = dragonfly_plus(4, 4, 4, 4, 5);  // four links a pair of groups
  const Case whole(drawing);
  const Design design = learn({}, *whole.fabric);
  Drawing damaged = drawing;
  damaged.cut(drawing.switch_cables() - 1);
  Case one(damaged);
  one.problem.design = &design;
  const Routes before = *dragonfly_plus(whole.problem);
  const Routes after = *dragonfly_plus(one.problem);
  std::size_t moved = 0;
  for (std::uint32_t s = 0; s < whole.switches(); ++s)
    for (const Destination& d : whole.problem.destinations)
      if (!d.is_switch() && before.out(SwitchId{s}, d.base) != after.out(SwitchId{s}, d.base)) ++moved;
  // In each direction a quarter of 16 hosts at 4 leaves, and all at the spine, which had one link there.
  EXPECT_EQ(moved, 2U * (4U * 4U + 16U));
}

TEST(DragonflyPlus, SpreadsHostsOverSpinesAndLinks) {
  const Case one(dragonfly_plus(4, 4, 4, 4, 5));
  const Routes routes = *dragonfly_plus(one.problem);
  const std::vector<std::uint64_t> load = routes_by_port(one.problem, routes);
  for (std::uint32_t s = 0; s < one.switches(); ++s) {
    std::set<std::uint64_t> global;
    for (std::uint32_t p = 1; s % 8 >= 4 && p <= 8; ++p) global.insert(load[s * 256 + p + 4]);
    if (s % 8 >= 4) {
      EXPECT_EQ(global.count(64), 1U) << s;
    }  // 16 sources, 4 of 16 destinations
  }
}

TEST(DragonflyPlus, GoesByAThirdGroupWhenTwoHaveLostEachOther) {
  Drawing drawing = dragonfly_plus(1, 3, 4, 1, 5);
  const Case whole(drawing);
  const Design design = learn({}, *whole.fabric);
  drawing.cut(60);  // local links were drawn first
  Case one(drawing);
  one.problem.design = &design;
  const Routes routes = *dragonfly_plus(one.problem);
  EXPECT_EQ(routes.notes.back(), "2 pairs of groups have no link left and go by other groups");
  const CheckReport report = check(one.problem, routes);
  EXPECT_TRUE(report.safe()) << explain(*one.fabric, report);
}

TEST(DragonflyPlus, IsRecognisedWithEvidence) {
  const Drawing drawing = dragonfly_plus(3, 3, 3, 2, 4);
  EXPECT_EQ(recognise(Case(drawing).problem).kind, Kind::dragonfly_plus);
  EXPECT_EQ(recognise(Case(drawing).problem).evidence,
            "a Dragonfly+ of 4 groups, 3 leaves and 3 spines in each, 12 global links");
  Drawing with_manager = drawing;
  with_manager.add_host(4);  // on a spine
  EXPECT_EQ(recognise(Case(with_manager).problem).kind, Kind::dragonfly_plus);
  const Result<ChainResult> chain = route(Case(with_manager).problem, {.vls = 2});
  EXPECT_EQ(chain->routes.engine, "dragonfly+");
}

TEST(DragonflyPlus, SaysWhatIsMissing) {
  const auto why = [](const Drawing& drawing) {
    const Case one(drawing);
    return dragonfly_plus_shape(one.problem, DesignGraph(one.problem)).error().what;
  };
  EXPECT_EQ(why(xgft({2, 4}, {1, 2})), "no Dragonfly+: all switches are of one group");
  EXPECT_EQ(
      why(ring(4)),
      "no Dragonfly+: 0x0000000000001000 (s0) and 0x0000000000001001 (s1) both have hosts and are linked");
}

}  // namespace
}  // namespace weft::routing
