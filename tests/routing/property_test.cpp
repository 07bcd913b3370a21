// Engines and check against the slow obvious judge, on many small random fabrics.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "routing/chain.h"
#include "routing/engines.h"
#include "tests/routing/fabrics.h"

namespace weft::routing {
namespace {

/// A drawing of any kind, with up to `cuts` links gone and perhaps a switch unplugged.
Drawing any_drawing() {
  const int kind = *rc::gen::inRange(0, 5);
  Drawing drawing;
  if (kind == 0) {
    drawing =
        random_graph(*rc::gen::inRange(1, 14), *rc::gen::inRange(0, 16), *rc::gen::inRange(0U, 1U << 30));
  } else if (kind == 1) {
    const int up = *rc::gen::inRange(1, 4);
    drawing = xgft({*rc::gen::inRange(0, 4), *rc::gen::inRange(1, 6)}, {1, up}, *rc::gen::inRange(1, 4));
  } else if (kind == 2) {
    drawing = xgft({*rc::gen::inRange(1, 3), *rc::gen::inRange(1, 4), *rc::gen::inRange(1, 4)},
                   {1, *rc::gen::inRange(1, 4), *rc::gen::inRange(1, 4)});
  } else if (kind == 3) {
    const int a = *rc::gen::inRange(2, 5);
    drawing = dragonfly(*rc::gen::inRange(0, 3), a, 1, *rc::gen::inRange(2, a + 2));
  } else {
    drawing = torus(*rc::gen::inRange(2, 5), *rc::gen::inRange(1, 4), 1, *rc::gen::inRange(0, 3));
  }
  for (const std::uint32_t cut : *rc::gen::container<std::vector<std::uint32_t>>(
           static_cast<std::size_t>(*rc::gen::inRange(0, 5)), rc::gen::inRange(0U, 1U << 20)))
    drawing.cut(cut);
  if (*rc::gen::inRange(0, 8) == 0) drawing.isolate(*rc::gen::inRange(0U, drawing.node_count()));
  return drawing;
}

Case any_case() {
  Case one(any_drawing(), *rc::gen::element<std::uint8_t>(0, 0, 0, 1, 2));
  for (Destination& d : one.problem.destinations)
    if (d.is_switch() && *rc::gen::inRange(0, 6) == 0) d.runs_sm = true;
  const auto roots = *rc::gen::inRange(0, 3);
  for (int i = 0; i < roots; ++i)
    one.problem.roots.push_back(
        one.fabric->node(static_cast<SwitchId>(*rc::gen::inRange(0U, one.switches()))).guid);
  return one;
}

RC_GTEST_PROP(Property, UpDownReachesAllThatIsConnectedWithoutACycle, ()) {
  const Case one = any_case();
  const Routes routes = *up_down(one.problem);
  const Verdict verdict = judge(one.problem, routes);
  RC_ASSERT(verdict.lost == 0U);
  RC_ASSERT(!verdict.loops);
  RC_ASSERT(!verdict.cycle);
  const CheckReport report = check(one.problem, routes);
  RC_ASSERT(report.safe());
  RC_ASSERT(report.uncounted_lost == 0U);
}

RC_GTEST_PROP(Property, MinHopTakesTheShortestWay, ()) {
  const Case one = any_case();
  const Routes routes = *min_hop(one.problem);
  const std::vector<int> distance = all_distances(*one.fabric);
  for (const Destination& to : one.problem.destinations) {
    for (std::uint32_t from = 0; from < one.switches(); ++from) {
      const int far = distance[from * one.switches() + raw(to.at)];
      for (std::uint32_t i = 0; i < 1U << to.lmc; ++i) {
        const std::uint8_t port =
            raw(routes.out(static_cast<SwitchId>(from), static_cast<Lid>(raw(to.base) + i)));
        if (far < 0) RC_ASSERT(port == 255);
        if (far == 0) RC_ASSERT(port == raw(to.port));
        if (far <= 0) continue;
        const auto next =
            one.fabric->switch_of(one.fabric->ports(static_cast<SwitchId>(from))[port].peer->node);
        RC_ASSERT(next.has_value());
        RC_ASSERT(distance[raw(*next) * one.switches() + raw(to.at)] == far - 1);
      }
    }
  }
}

RC_GTEST_PROP(Property, CheckAgreesWithTheJudgeOnMinHop, ()) {
  const Case one = any_case();
  const Routes routes = *min_hop(one.problem);
  const Verdict verdict = judge(one.problem, routes);
  const CheckReport report = check(one.problem, routes);
  RC_ASSERT(report.pairs == verdict.pairs);
  RC_ASSERT(report.lost == 0U);
  RC_ASSERT(report.longest == verdict.longest);
  RC_ASSERT(report.cycle.empty() == !verdict.cycle);
}

RC_GTEST_PROP(Property, CheckAgreesWithTheJudgeOnSpoiltTables, ()) {
  const Case one = any_case();
  Routes routes = *(*rc::gen::arbitrary<bool>() ? min_hop : up_down)(one.problem);
  const int spoilt = *rc::gen::inRange(1, 12);
  for (int i = 0; i < spoilt; ++i) {
    const std::uint32_t s = *rc::gen::inRange(0U, one.switches());
    const auto ports = static_cast<std::uint32_t>(one.fabric->ports(static_cast<SwitchId>(s)).size());
    const std::uint32_t port = *rc::gen::inRange(0U, ports + 1);
    routes = with_entry(routes, s,
                        static_cast<Lid>(*rc::gen::inRange<std::uint32_t>(1U, raw(one.problem.top) + 1U)),
                        static_cast<std::uint8_t>(port == ports ? 255U : port));
  }
  const Verdict verdict = judge(one.problem, routes);
  const CheckReport report = check(one.problem, routes);
  RC_ASSERT(report.pairs == verdict.pairs);
  RC_ASSERT(report.lost == verdict.lost);
  RC_ASSERT((report.loops != 0U) == verdict.loops);
  RC_ASSERT(report.cycle.empty() == !verdict.cycle);
  RC_ASSERT(report.longest == verdict.longest);
  if (report.lost != 0) RC_ASSERT(!report.examples.empty());
}

RC_GTEST_PROP(Property, TheChainAlwaysEndsInSafeTables, ()) {
  const Case one = any_case();
  const Result<ChainResult> result = route(one.problem, {});
  RC_ASSERT(result.has_value());
  RC_ASSERT(result->report.safe());
}

RC_GTEST_PROP(Property, TheSameProblemHasTheSameRoutes, ()) {
  const Case one = any_case();
  for (const Engine& engine : engines()) {
    const Result<Routes> a = engine.compute(one.problem);
    const Result<Routes> b = engine.compute(one.problem);
    RC_ASSERT(a.has_value() == b.has_value());
    if (!a) continue;
    for (std::size_t s = 0; s < a->lfts.size(); ++s) RC_ASSERT(*a->lfts[s] == *b->lfts[s]);
  }
}

RC_GTEST_PROP(Property, UpDownIsAsShortAsMinHopBetweenHostsOfATreeWithHoles, ()) {
  Drawing drawing = xgft({2, 4, 4}, {1, 4, 4});
  for (const std::uint32_t cut : *rc::gen::container<std::vector<std::uint32_t>>(
           static_cast<std::size_t>(*rc::gen::inRange(0, 6)), rc::gen::inRange(0U, 1U << 20)))
    drawing.cut(cut);
  const Case one(drawing);
  RC_ASSERT(longest_between_hosts(one.problem, *up_down(one.problem)) ==
            longest_between_hosts(one.problem, *min_hop(one.problem)));
}

}  // namespace
}  // namespace weft::routing
