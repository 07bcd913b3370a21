// The layered engine: orders by LID offset, and what the check says of the SLs that clients use.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "routing/check.h"
#include "routing/engines.h"
#include "routing/transition.h"
#include "routing/up_down_order.h"
#include "tests/routing/fabrics.h"

namespace weft::routing {
namespace {

RC_GTEST_PROP(Layered, IsSafeAndTheCheckAgreesOnAnySl, ()) {
  const auto few = [](int upto) { return *rc::gen::inRange(1, upto + 1); };
  Drawing drawing = *rc::gen::arbitrary<bool>()
                        ? torus(few(5), few(4), few(2), 1)
                        : random_graph(few(12), few(14), *rc::gen::inRange(0U, 1U << 30));
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) drawing.cut(*rc::gen::inRange(0U, 1U << 20));
  Case one(drawing, *rc::gen::inRange<std::uint8_t>(0, 3));
  one.problem.max_layers = few(5);
  Routes routes = *layered(one.problem);
  RC_ASSERT(routes.layers <= one.problem.max_layers);
  const Verdict verdict = judge(one.problem, routes);
  const CheckReport report = check(one.problem, routes);
  RC_ASSERT(verdict.lost == 0U);
  RC_ASSERT(!verdict.cycle);
  RC_ASSERT(report.safe());
  routes.layers = 1;
  RC_ASSERT(report.any_sl == !judge(one.problem, routes).cycle);
}

TEST(Layered, WithOneLidAHostIsUpDown) {
  Case one(torus(4, 4, 4, 2));
  one.problem.max_layers = 8;
  const Routes routes = *layered(one.problem);
  EXPECT_EQ(routes.layers, 1);
  EXPECT_EQ(routes.notes.back(), "one layer, safe on any SL: hosts have one LID each (LMC 0)");
  const Routes plain = *up_down(one.problem);
  for (std::uint32_t s = 0; s < one.switches(); ++s) EXPECT_EQ(*routes.lfts[s], *plain.lfts[s]);
  EXPECT_TRUE(check(one.problem, routes).any_sl);
}

TEST(Layered, RoutesATorusAndAnUnknownDragonflyWithinFewVls) {
  Case torus_of_64(torus(4, 4, 4, 2), 2);
  torus_of_64.problem.max_layers = 4;
  const Routes routes = *layered(torus_of_64.problem);
  EXPECT_EQ(routes.vls_needed, 4);
  const CheckReport report = check(torus_of_64.problem, routes);
  EXPECT_TRUE(report.safe());
  EXPECT_FALSE(report.any_sl);
  Case unknown(dragonfly(6, 12, 6, 73), 1);  // 5,256 hosts
  unknown.problem.max_layers = 2;
  unknown.problem.threads = 2;
  const Routes two = *layered(unknown.problem);
  EXPECT_EQ(two.vls_needed, 2);
  EXPECT_TRUE(check(unknown.problem, two).safe());
}

TEST(Layered, OffersShorterWaysThanOneOrder) {
  Case one(torus(5, 5, 1, 1), 2);
  one.problem.max_layers = 4;
  const Routes routes = *layered(one.problem);
  // Hops of the best offset by pair, and of the first.
  const auto hops = [&](std::uint32_t from, const Destination& to, std::uint32_t offset) {
    int count = 0;
    for (std::uint32_t s = from; s != raw(to.at); ++count) {
      const PortNum port = routes.out(static_cast<SwitchId>(s), static_cast<Lid>(raw(to.base) + offset));
      s = raw(*one.fabric->switch_of(one.fabric->ports(static_cast<SwitchId>(s))[raw(port)].peer->node));
    }
    return count;
  };
  int first = 0;
  int best = 0;
  for (std::uint32_t s = 0; s < one.switches(); ++s) {
    for (const Destination& d : one.problem.destinations) {
      if (d.is_switch()) continue;
      int least = hops(s, d, 0);
      first += least;
      for (std::uint32_t offset = 1; offset < 4; ++offset) least = std::min(least, hops(s, d, offset));
      best += least;
    }
  }
  EXPECT_LT(best, first);
}

TEST(Layered, StartsOrdersFarApart) {
  const Case one(ring(8));
  const SwitchGraph graph(one.problem);
  const std::vector<UpDownOrder> orders = up_down_orders(one.problem, graph, 3);
  const auto apart = [](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t d = a > b ? a - b : b - a;
    return std::min(d, 8 - d);
  };
  EXPECT_EQ(apart(orders[0].switches[0], orders[1].switches[0]), 4U);
  EXPECT_EQ(apart(orders[0].switches[0], orders[2].switches[0]), 2U);
}

TEST(Check, RefusesLayersWithoutVlsForThem) {
  Case one(ring(4), 1);
  one.problem.max_layers = 2;
  Routes routes = *layered(one.problem);
  routes.vls_needed = 1;
  EXPECT_EQ(check(one.problem, routes).malformed, "2 layers, but 1 VLs asked for");
}

TEST(Transition, TakesTwoStepsWhenTheNumberOfLayersChanges) {
  Case one(torus(3, 3, 1, 1), 1);
  const Routes before = *layered(one.problem);
  one.problem.max_layers = 2;
  EXPECT_TRUE(find_transition(one.problem, before, *layered(one.problem)).lanes_change);
}

}  // namespace
}  // namespace weft::routing
