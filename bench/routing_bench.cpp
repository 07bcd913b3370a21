// Routing at full size: tables by engine, and the check of them. LIDs in topological order, switch LIDs last.

#include <benchmark/benchmark.h>

#include "routing/check.h"
#include "routing/engines.h"
#include "tests/routing/fabrics.h"

namespace weft::routing {
namespace {

const Case& tree_11664() {
  static const Case one(xgft({18, 18, 36}, {1, 18, 18}));
  return one;
}

const Case& dragonfly_9702() {
  static const Case one(dragonfly(7, 14, 7, 99));
  return one;
}

void tables(benchmark::State& state, const Case& one, Result<Routes> (*engine)(const Problem&)) {
  for (auto _ : state) benchmark::DoNotOptimize(engine(one.problem));
}

void whole_check(benchmark::State& state, const Case& one, Result<Routes> (*engine)(const Problem&)) {
  const Routes routes = *engine(one.problem);
  for (auto _ : state) benchmark::DoNotOptimize(check(one.problem, routes));
}

void min_hop_tree(benchmark::State& state) { tables(state, tree_11664(), min_hop); }
void up_down_tree(benchmark::State& state) { tables(state, tree_11664(), up_down); }
void up_down_dragonfly(benchmark::State& state) { tables(state, dragonfly_9702(), up_down); }
void check_tree(benchmark::State& state) { whole_check(state, tree_11664(), up_down); }
void check_dragonfly(benchmark::State& state) { whole_check(state, dragonfly_9702(), up_down); }

BENCHMARK(min_hop_tree)->Name("Tables/min-hop/tree/11664")->Unit(benchmark::kMillisecond);
BENCHMARK(up_down_tree)->Name("Tables/up-down/tree/11664")->Unit(benchmark::kMillisecond);
BENCHMARK(up_down_dragonfly)->Name("Tables/up-down/dragonfly/9702")->Unit(benchmark::kMillisecond);
BENCHMARK(check_tree)->Name("Check/tree/11664")->Unit(benchmark::kMillisecond);
BENCHMARK(check_dragonfly)->Name("Check/dragonfly/9702")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weft::routing
