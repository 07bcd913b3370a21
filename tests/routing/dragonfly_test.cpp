// The dragonfly engine, its recognition, and the check of tables that need lanes.

#include <array>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "routing/chain.h"
#include "routing/check.h"
#include "routing/design.h"
#include "routing/dragonfly_shape.h"
#include "routing/engines.h"
#include "routing/multicast.h"
#include "routing/quality.h"
#include "routing/recognise.h"
#include "tests/routing/fabrics.h"

namespace weft::routing {
namespace {

RC_GTEST_PROP(Dragonfly, WholeIsSafeAndMinimal, ()) {
  const int a = *rc::gen::inRange(3, 6);
  const int h = *rc::gen::inRange(1, 3);
  const Case one(dragonfly(*rc::gen::inRange(0, 3), a, h, *rc::gen::inRange(3, a * h + 2)));
  const Result<Routes> routes = dragonfly(one.problem);
  if (!routes) RC_DISCARD(routes.error().what);
  const Verdict verdict = judge(one.problem, *routes);
  RC_ASSERT(verdict.lost == 0U);
  RC_ASSERT(!verdict.loops);
  RC_ASSERT(!verdict.cycle);
  const CheckReport report = check(one.problem, *routes);
  RC_ASSERT(report.safe());
  RC_ASSERT(report.longest == verdict.longest);
  RC_ASSERT(report.longest <= 3);
}

RC_GTEST_PROP(Dragonfly, CheckAgreesWithTheJudgeOnDamage, ()) {
  const int a = *rc::gen::inRange(3, 6);
  Drawing drawing =
      dragonfly(*rc::gen::inRange(0, 3), a, *rc::gen::inRange(1, 3), *rc::gen::inRange(3, a + 2));
  const Case whole(drawing);
  const Design design = learn({}, *whole.fabric);
  const int cuts = *rc::gen::inRange(1, 6);
  for (int i = 0; i < cuts; ++i) drawing.cut(*rc::gen::inRange(0U, 1U << 20));
  Case one(drawing);
  one.problem.design = &design;
  one.problem.threads = *rc::gen::inRange(1U, 4U);
  const Result<Routes> routes = dragonfly(one.problem);
  if (!routes) RC_DISCARD(routes.error().what);
  const Verdict verdict = judge(one.problem, *routes);
  const CheckReport report = check(one.problem, *routes);
  RC_ASSERT(report.lost == verdict.lost);
  RC_ASSERT((report.loops != 0U) == verdict.loops);
  RC_ASSERT(report.cycle.empty() == !verdict.cycle);
  const Result<ChainResult> chain = route(one.problem, {.vls = 2});
  RC_ASSERT(chain.has_value());
  RC_ASSERT(chain->report.safe());
}

RC_GTEST_PROP(Dragonfly, CheckAgreesWithTheJudgeOnAnyLanes, ()) {
  const Case one(*rc::gen::arbitrary<bool>() ? dragonfly(1, 3, 1, 4) : torus(3, 3, 1, 1));
  Routes routes = *min_hop(one.problem);
  Lanes lanes;
  lanes.count = *rc::gen::inRange(1, 4);
  for (std::uint32_t s = 0; s < one.switches(); ++s) {
    std::vector<std::uint8_t> classes;
    for (const fabric::Port& port : one.fabric->ports(static_cast<SwitchId>(s)))
      classes.push_back(
          port.peer && one.fabric->is_switch(port.peer->node) ? *rc::gen::inRange<std::uint8_t>(0, 4) : 0);
    lanes.port_class.push_back(classes);
  }
  for (auto& row : lanes.vl)
    for (std::uint8_t& vl : row) vl = static_cast<std::uint8_t>(*rc::gen::inRange(0, lanes.count));
  routes.vls_needed = lanes.count;
  routes.lanes = std::make_shared<const Lanes>(lanes);
  RC_ASSERT(check(one.problem, routes).cycle.empty() == !judge(one.problem, routes).cycle);
}

TEST(Dragonfly, NeedsItsLanes) {
  const Case one(dragonfly(2, 4, 2, 9));
  Routes routes = *dragonfly(one.problem);
  EXPECT_EQ(routes.vls_needed, 2);
  EXPECT_TRUE(check(one.problem, routes).safe());
  routes.lanes = nullptr;
  EXPECT_FALSE(check(one.problem, routes).cycle.empty());
}

TEST(Dragonfly, IsNotTakenWhereTheLanesAreMissing) {
  const Case one(dragonfly(2, 4, 2, 9));
  const Result<ChainResult> without = route(one.problem, {});
  ASSERT_TRUE(without);
  EXPECT_NE(without->routes.engine, "dragonfly");
  EXPECT_EQ(without->refusals.front().reason, "needs 2 VLs, but 1 can be used");
  const Result<ChainResult> with = route(one.problem, {.vls = 2});
  ASSERT_TRUE(with);
  EXPECT_EQ(with->routes.engine, "dragonfly");
  EXPECT_EQ(with->recognised, "a dragonfly of 9 groups, 4 routers in each, 36 global links");
}

TEST(Dragonfly, GoesByAThirdGroupWhenTwoHaveLostEachOther) {
  for (std::size_t lost = 0; lost < 36; ++lost) {
    Drawing drawing = dragonfly(2, 4, 2, 9);
    const Case whole(drawing);
    const Design design = learn({}, *whole.fabric);
    drawing.cut(54 + lost);  // local links were drawn first
    Case one(drawing);
    one.problem.design = &design;
    const Routes routes = *dragonfly(one.problem);
    const CheckReport report = check(one.problem, routes);
    EXPECT_TRUE(report.safe()) << lost << ": " << explain(*one.fabric, report);
    EXPECT_LE(report.longest, 5);
  }
}

TEST(Dragonfly, StaysSafeWithAnyOneLocalLinkDead) {
  for (std::size_t cut = 0; cut < 90; ++cut) {
    Drawing drawing = dragonfly(1, 4, 2, 9);
    const Case whole(drawing);
    const Design design = learn({}, *whole.fabric);
    drawing.cut(cut);
    Case one(drawing);
    one.problem.design = &design;
    const CheckReport report = check(one.problem, *dragonfly(one.problem));
    EXPECT_TRUE(report.safe()) << cut << ": " << explain(*one.fabric, report);
  }
}

TEST(Recognise, TellsShapesApart) {
  EXPECT_EQ(recognise(Case(xgft({2, 4}, {1, 2})).problem).kind, Kind::tree);
  EXPECT_EQ(recognise(Case(dragonfly(2, 4, 2, 9)).problem).kind, Kind::dragonfly);
  EXPECT_EQ(recognise(Case(ring(5)).problem).kind, Kind::arbitrary);
  EXPECT_EQ(recognise(Case(torus(4, 4, 4, 2)).problem).kind, Kind::arbitrary);
}

/// Nothing is known of how it was before.
TEST(Recognise, KnowsADragonflyWithDeadLinksAtFirstSight) {
  struct DesignSize {
    int p, a, h, g;
    std::size_t most_dead;
  };
  std::mt19937 random(11);
  for (const DesignSize& size : {DesignSize{1, 4, 2, 9, 1}, DesignSize{1, 8, 4, 33, 60},
                                 DesignSize{1, 14, 3, 20, 120}, DesignSize{1, 6, 3, 19, 12}})
    for (int round = 0; round < 12; ++round) {
      Drawing drawing = dragonfly(size.p, size.a, size.h, size.g);
      const std::size_t dead = 1 + random() % size.most_dead;
      for (std::size_t i = 0; i < dead; ++i) drawing.cut(random() % drawing.switch_cables());
      const Case one(drawing);
      const auto shape = dragonfly_shape(one.problem, DesignGraph(one.problem));
      ASSERT_TRUE(shape) << size.a << " " << size.g << " " << dead << ": " << shape.error().what;
      EXPECT_EQ(shape->groups(), static_cast<std::uint32_t>(size.g)) << size.a << " " << dead;
    }
}

TEST(Recognise, KnowsASmallDragonflyWhoseGlobalLinksMakeTriangles) {
  // Link k of a group goes to the k-th other group, so three groups can meet at three routers.
  constexpr int kRouters = 4;
  constexpr int kGlobal = 2;
  constexpr int kGroups = 9;
  Drawing drawing;
  for (int i = 0; i < kRouters * kGroups; ++i) drawing.add_switch();
  for (std::uint32_t i = 0; i < kRouters * kGroups; ++i) drawing.add_hosts(i, 2);
  const auto router = [](int group, int link) {
    return static_cast<std::uint32_t>(group * kRouters + link / kGlobal);
  };
  for (int g = 0; g < kGroups; ++g) {
    for (int a = 0; a < kRouters; ++a)
      for (int b = a + 1; b < kRouters; ++b) drawing.cable(router(g, a * kGlobal), router(g, b * kGlobal));
    for (int to = g + 1; to < kGroups; ++to) drawing.cable(router(g, to - 1), router(to, g));
  }
  EXPECT_EQ(recognise(Case(drawing).problem).evidence,
            "a dragonfly of 9 groups, 4 routers in each, 36 global links");
}

TEST(Check, RefusesLanesThatGiveAHostPortAnotherClass) {
  const Case one(dragonfly(1, 3, 1, 4));
  Routes routes = *dragonfly(one.problem);
  Lanes lanes = *routes.lanes;
  lanes.port_class[0].assign(lanes.port_class[0].size(), 1);
  routes.lanes = std::make_shared<const Lanes>(lanes);
  EXPECT_FALSE(check(one.problem, routes).malformed.empty());
  EXPECT_FALSE(check(one.problem, routes).safe());
}

TEST(Dragonfly, KeepsItsTablesWithSomePercentOfItsLinksDead) {
  const std::array drawings{dragonfly(2, 4, 2, 9), dragonfly(1, 6, 2, 7), dragonfly(3, 6, 1, 7),
                            dragonfly(2, 4, 1, 5), dragonfly(2, 6, 2, 13)};
  std::vector<std::string> unsafe;
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    const Drawing& whole = drawings[random() % drawings.size()];
    const Design design = learn({}, *Case(whole).fabric);
    Drawing damaged = whole;
    for (std::size_t cuts = 1 + whole.switch_cables() * (random() % 10) / 100; cuts > 0; --cuts)
      damaged.cut(random());
    Case one(damaged);
    one.problem.design = &design;
    const Result<Routes> routes = dragonfly(one.problem);
    ASSERT_TRUE(routes) << routes.error().what;
    const CheckReport report = check(one.problem, *routes);
    if (!report.safe()) unsafe.push_back(fmt::format("seed {}: {}", seed, explain(*one.fabric, report)));
    const MulticastBasis basis(one.problem, *routes, report.waits);
    if (basis.own_lane()) unsafe.push_back(fmt::format("seed {}: no room for groups: {}", seed, basis.why()));
  }
  EXPECT_EQ(unsafe, std::vector<std::string>{});
}

TEST(Dragonfly, SpreadsWhatADeadLinkCarriedOverAllThatHelp) {
  // Each global link carries the 64 routes of two groups. Without one, seven third groups share them.
  Drawing drawing = dragonfly(2, 4, 2, 9);
  const Design design = learn({}, *Case(drawing).fabric);
  drawing.cut(54);
  Case one(drawing);
  one.problem.design = &design;
  const Quality quality = measure(one.problem, *dragonfly(one.problem), nullptr);
  EXPECT_LE(quality.forwarding_index, 64U + 64 / 4);
}

TEST(Dragonfly, MovesNoFlowWhoseMinimalWayLives) {
  Drawing drawing = dragonfly(2, 4, 2, 9);
  Case whole(drawing);
  const Design design = learn({}, *whole.fabric);
  whole.problem.design = &design;
  const Routes before = *dragonfly(whole.problem);
  drawing.cut(70);
  Case one(drawing);
  one.problem.design = &design;
  const Routes after = *dragonfly(one.problem);
  std::uint32_t moved = 0;
  for (const Destination& d : one.problem.destinations) {
    for (std::uint32_t s = 0; s < one.switches(); ++s) {
      bool lives = true;
      for (std::uint32_t at = s; at != raw(d.at) && lives;) {
        const fabric::Port& port = one.fabric->port(
            {one.fabric->node_of(static_cast<SwitchId>(at)), before.out(static_cast<SwitchId>(at), d.base)});
        lives = port.peer.has_value();
        if (lives) at = raw(*one.fabric->switch_of(port.peer->node));
      }
      const auto id = static_cast<SwitchId>(s);
      moved += before.out(id, d.base) != after.out(id, d.base) ? 1 : 0;
      EXPECT_TRUE(!lives || before.out(id, d.base) == after.out(id, d.base)) << s << " to " << raw(d.base);
    }
  }
  EXPECT_NE(moved, 0U);
}

TEST(DragonflyShape, TakesTheGroupsThatTheConfigurationGives) {
  Case one(dragonfly(1, 4, 1, 5));
  const DesignGraph graph(one.problem);
  const DragonflyShape found = *dragonfly_shape(one.problem, graph);
  for (std::uint32_t s = 0; s < one.switches(); ++s)
    if (s != 7) one.problem.groups.emplace_back(graph.guids[s], 100 - found.group[s]);
  EXPECT_EQ(dragonfly_shape(one.problem, graph)->group,
            found.group);  // the one left out joins its neighbours
  for (auto& [guid, group] : one.problem.groups) group = 0;
  EXPECT_FALSE(dragonfly_shape(one.problem, graph));
}

}  // namespace
}  // namespace weft::routing
