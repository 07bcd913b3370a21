// Routing at full size: tables by engine, and the check of them. LIDs in topological order, switch LIDs last.

#include <benchmark/benchmark.h>

#include "routing/check.h"
#include "routing/engines.h"
#include "tests/routing/fabrics.h"

namespace weft::routing {
namespace {

using Compute = Result<Routes> (*)(const Problem&);

const Case& tree_11664() {
  static const Case one(xgft({18, 18, 36}, {1, 18, 18}));
  return one;
}

const Case& tree_40960() {
  static const Case one(xgft({32, 32, 40}, {1, 32, 32}));
  return one;
}

const Case& dragonfly_9702() {
  static const Case one(dragonfly(7, 14, 7, 99));
  return one;
}

void tables(benchmark::State& state, const Case& (*fabric)(), Compute engine, unsigned threads) {
  Problem problem = fabric().problem;
  problem.threads = threads;
  for (auto _ : state) benchmark::DoNotOptimize(engine(problem));
}

void whole_check(benchmark::State& state, const Case& (*fabric)(), Compute engine) {
  const Routes routes = *engine(fabric().problem);
  for (auto _ : state) benchmark::DoNotOptimize(check(fabric().problem, routes));
}

BENCHMARK_CAPTURE(tables, a, tree_11664, fat_tree, 2U)
    ->Name("Tables/tree/11664")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tables, b, tree_40960, fat_tree, 2U)
    ->Name("Tables/tree/40960")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tables, c, tree_11664, fat_tree, 1U)
    ->Name("Tables/tree/11664/one-thread")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tables, d, tree_40960, fat_tree, 1U)
    ->Name("Tables/tree/40960/one-thread")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tables, e, tree_11664, min_hop, 1U)
    ->Name("Tables/min-hop/tree/11664")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tables, f, tree_11664, up_down, 1U)
    ->Name("Tables/up-down/tree/11664")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tables, g, dragonfly_9702, up_down, 1U)
    ->Name("Tables/up-down/dragonfly/9702")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whole_check, a, tree_11664, fat_tree)
    ->Name("Check/tree/11664")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whole_check, b, tree_40960, fat_tree)
    ->Name("Check/tree/40960")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whole_check, c, dragonfly_9702, up_down)
    ->Name("Check/dragonfly/9702")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weft::routing
