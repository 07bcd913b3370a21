// Routing at full size: tables by engine, one fault, port sets, and the check. LIDs in topological order,
// switch LIDs last. Two threads, unless the name says one.

#include <algorithm>
#include <random>

#include <benchmark/benchmark.h>

#include "routing/check.h"
#include "routing/design.h"
#include "routing/engines.h"
#include "routing/multicast.h"
#include "routing/port_sets.h"
#include "routing/quality.h"
#include "tests/routing/fabrics.h"

namespace weft::routing {
namespace {

using Compute = Result<Routes> (*)(const Problem&);
using Fabrics = const Case& (*)();
constexpr Compute kDragonflyPlus = dragonfly_plus;
constexpr Compute kDragonfly = dragonfly;  // the engine, not the drawing

Drawing draw_11664() { return xgft({18, 18, 36}, {1, 18, 18}); }
Drawing draw_9702() { return dragonfly(7, 14, 7, 99); }
Drawing draw_40200() { return dragonfly(10, 20, 10, 201); }
Drawing draw_torus() { return torus(8, 8, 8, 4); }
Drawing draw_40960() { return xgft({32, 32, 40}, {1, 32, 32}); }

const Case& tree_11664() {
  static const Case one(draw_11664());
  return one;
}
const Case& tree_40960() {
  static const Case one(draw_40960());
  return one;
}
const Case& dragonfly_9702() {
  static const Case one(dragonfly(7, 14, 7, 99));
  return one;
}
const Case& dragonfly_40200() {
  static const Case one(dragonfly(10, 20, 10, 201));
  return one;
}

const Case& plus_10368() {
  static const Case one(dragonfly_plus(18, 18, 18, 18, 32));
  return one;
}
const Case& plus_40000() {
  static const Case one(dragonfly_plus(20, 20, 20, 20, 100));
  return one;
}

Problem with_threads(const Case& one, unsigned threads) {
  Problem problem = one.problem;
  problem.threads = threads;
  return problem;
}

void tables(benchmark::State& state, Fabrics fabric, Compute engine, unsigned threads) {
  const Problem problem = with_threads(fabric(), threads);
  for (auto _ : state) benchmark::DoNotOptimize(engine(problem));
}

/// As many layers as VLs, through LMC.
void layered_tables(benchmark::State& state, Drawing (*draw)(), std::uint8_t lmc, unsigned threads) {
  const Case one(draw(), lmc);
  Problem problem = with_threads(one, threads);
  problem.max_layers = 1 << lmc;
  for (auto _ : state) benchmark::DoNotOptimize(layered(problem));
}

void whole_check(benchmark::State& state, Fabrics fabric, Compute engine, unsigned threads) {
  const Problem problem = with_threads(fabric(), threads);
  const Routes routes = *engine(problem);
  for (auto _ : state) benchmark::DoNotOptimize(check(problem, routes));
}

/// The tables after one link between switches has died, rows that stay shared with those before.
void one_fault(benchmark::State& state, Fabrics fabric, Drawing (*draw)(), Compute engine, std::size_t dead) {
  Problem whole = with_threads(fabric(), 2);
  const Design design = learn({}, *whole.fabric);
  whole.design = &design;
  const Routes before = *engine(whole);
  Drawing drawing = draw();
  drawing.cut(dead);
  const Case cut(drawing);
  Problem broken = with_threads(cut, 2);
  broken.design = &design;
  broken.previous = &before;
  for (auto _ : state) benchmark::DoNotOptimize(engine(broken));
}

void all_port_sets(benchmark::State& state, Fabrics fabric, Compute engine) {
  const Problem problem = with_threads(fabric(), 2);
  const Routes routes = *engine(problem);
  for (auto _ : state) benchmark::DoNotOptimize(port_sets(problem, routes));
  state.counters["MB"] = static_cast<double>(port_sets(problem, routes)->memory()) / 1e6;
}

void quality(benchmark::State& state, Fabrics fabric, Compute engine) {
  const Problem problem = with_threads(fabric(), 2);
  const Routes routes = *engine(problem);
  for (auto _ : state) benchmark::DoNotOptimize(measure(problem, routes, nullptr));
}

void sets_check(benchmark::State& state, Fabrics fabric) {
  const Problem problem = with_threads(fabric(), 2);
  const Routes routes = *fat_tree(problem);
  const PortSets sets = *port_sets(problem, routes);
  for (auto _ : state) benchmark::DoNotOptimize(check_sets(problem, routes, sets));
}

/// Trees of `count` groups with `members` hosts each, drawn by a seed. What depends on the tables alone is
/// made once, as a manager does.
void multicast(benchmark::State& state, Fabrics fabric, Compute engine, std::uint32_t count,
               std::uint32_t members) {
  const Problem problem = with_threads(fabric(), 2);
  const Routes routes = *engine(problem);
  const CheckReport report = check(problem, routes);
  std::mt19937 random(1);
  std::vector<MulticastGroup> groups(count);
  std::vector<Destination> hosts;
  std::ranges::copy_if(problem.destinations, std::back_inserter(hosts),
                       [](const Destination& d) { return !d.is_switch(); });
  for (std::uint32_t i = 0; i < count; ++i) {
    groups[i].mlid = static_cast<Lid>(0xc000U + i);
    for (std::uint32_t j = 0; j < members; ++j) {
      const Destination& d = hosts[random() % hosts.size()];
      groups[i].members.push_back({d.at, d.port, true});
    }
  }
  for (auto _ : state) {
    const MulticastBasis basis(problem, routes, report.waits);
    benchmark::DoNotOptimize(multicast_trees(basis, groups, problem.threads));
  }
}

void multicast_join(benchmark::State& state, Fabrics fabric, Compute engine) {
  const Problem problem = with_threads(fabric(), 2);
  const Routes routes = *engine(problem);
  const MulticastBasis basis(problem, routes, check(problem, routes).waits);
  MulticastGroup group{Lid{0xc001}, {}};
  for (std::size_t i = 0; i < 64; ++i)
    group.members.push_back({problem.destinations[i * 97].at, PortNum{1}, true});
  for (auto _ : state) benchmark::DoNotOptimize(multicast_tree(basis, group));
}

/// Google Benchmark names a case by the arguments' text; ours have names of their own.
template <typename Run, typename... Args>
void add(const char* name, Run run, Args... args) {
  benchmark::RegisterBenchmark(name, [=](benchmark::State& state) { run(state, args...); })
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

[[maybe_unused]] const bool all_cases = [] {
  add("Tables/tree/11664", tables, tree_11664, fat_tree, 2U);
  add("Tables/tree/40960", tables, tree_40960, fat_tree, 2U);
  add("Tables/dragonfly/9702", tables, dragonfly_9702, kDragonfly, 2U);
  add("Tables/dragonfly/40200", tables, dragonfly_40200, kDragonfly, 2U);
  add("Tables/dragonfly+/10368", tables, plus_10368, kDragonflyPlus, 2U);
  add("Tables/dragonfly+/40000", tables, plus_40000, kDragonflyPlus, 2U);
  add("Tables/tree/11664/one-thread", tables, tree_11664, fat_tree, 1U);
  add("Tables/tree/40960/one-thread", tables, tree_40960, fat_tree, 1U);
  add("Tables/min-hop/tree/11664", tables, tree_11664, min_hop, 1U);
  add("Tables/up-down/tree/11664", tables, tree_11664, up_down, 1U);
  add("Tables/up-down/dragonfly/9702", tables, dragonfly_9702, up_down, 1U);
  add("Layered/dragonfly/9702/4", layered_tables, draw_9702, std::uint8_t{2}, 2U);
  add("Layered/torus/512/4", layered_tables, draw_torus, std::uint8_t{2}, 2U);
  add("Fault/tree/11664", one_fault, tree_11664, draw_11664, fat_tree, 0UL);
  add("Fault/tree/40960", one_fault, tree_40960, draw_40960, fat_tree, 0UL);
  add("Fault/dragonfly/9702/local", one_fault, dragonfly_9702, draw_9702, kDragonfly, 0UL);
  add("Fault/dragonfly/9702/global", one_fault, dragonfly_9702, draw_9702, kDragonfly, 10000UL);
  add("Fault/dragonfly/40200/local", one_fault, dragonfly_40200, draw_40200, kDragonfly, 0UL);
  add("Fault/dragonfly/40200/global", one_fault, dragonfly_40200, draw_40200, kDragonfly, 40000UL);
  add("Check/tree/11664", whole_check, tree_11664, fat_tree, 2U);
  add("Check/tree/40960", whole_check, tree_40960, fat_tree, 2U);
  add("Check/dragonfly/9702", whole_check, dragonfly_9702, kDragonfly, 2U);
  add("Check/dragonfly/40200", whole_check, dragonfly_40200, kDragonfly, 2U);
  add("Check/dragonfly+/10368", whole_check, plus_10368, kDragonflyPlus, 2U);
  add("Check/dragonfly+/40000", whole_check, plus_40000, kDragonflyPlus, 2U);
  add("Sets/tree/11664", all_port_sets, tree_11664, fat_tree);
  add("Sets/tree/40960", all_port_sets, tree_40960, fat_tree);
  add("Sets/dragonfly/9702", all_port_sets, dragonfly_9702, kDragonfly);
  add("Sets/dragonfly+/10368", all_port_sets, plus_10368, kDragonflyPlus);
  add("Sets/check/11664", sets_check, tree_11664);
  add("Quality/tree/11664", quality, tree_11664, fat_tree);
  add("Multicast/1000x64/11664", multicast, tree_11664, fat_tree, 1000U, 64U);
  add("Multicast/1000x64/dragonfly/9702", multicast, dragonfly_9702, kDragonfly, 1000U, 64U);
  add("Multicast/join/11664", multicast_join, tree_11664, fat_tree);
  return true;
}();

}  // namespace
}  // namespace weft::routing
