// What one fault costs on the wire: LFT blocks that must be sent before all hosts reach each other again, at
// 11,664 hosts with the LIDs that the planner gives (plane by plane). The time is that of the plan after the
// fault, CPU of all threads counted.

#include <algorithm>
#include <functional>
#include <string_view>

#include <benchmark/benchmark.h>

#include "bench/urgent.h"
#include "plan/plan.h"
#include "tests/support/fabric_of.h"
#include "topology/load.h"

namespace weft::plan {
namespace {

fabric::PortRef first_host(const fabric::Fabric& fabric) {
  return *std::ranges::find_if(
      fabric.end_ports(), [&fabric](const fabric::PortRef& port) { return !fabric.is_switch(port.node); });
}

using Dead = std::function<bool(const topology::Topology&, const topology::Cable&)>;

void one_fault(benchmark::State& state, const Dead& dead) {
  const topology::Topology whole = *topology::load("fat-tree:radix=36,levels=3");
  topology::Topology damaged = whole;
  std::erase_if(damaged.cables, [&](const topology::Cable& cable) { return dead(whole, cable); });
  const fabric::Fabric first = test::fabric_of(whole);
  const fabric::Fabric second = test::fabric_of(damaged);
  const Planned before = *make_plan(first, {}, {}, first_host(first), nullptr);
  Planned after;
  for (auto _ : state) after = *make_plan(second, {}, before.ledger, first_host(second), before.plan.get());
  state.counters["blocks"] =
      static_cast<double>(bench::urgent_blocks(second, *after.plan, *before.plan).size());
}

bool is_at(const topology::Topology& all, const topology::Cable& cable, std::string_view name) {
  const auto named = [&](topology::End end) {
    return std::string_view(all.nodes[end.node].description).starts_with(name) ||
           std::string_view(all.nodes[end.node].id).starts_with(name);
  };
  return named(cable.a) || named(cable.b);
}

[[maybe_unused]] const bool added = [] {
  const auto add = [](const char* name, const Dead& dead) {
    benchmark::RegisterBenchmark(name, [dead](benchmark::State& state) { one_fault(state, dead); })
        ->Unit(benchmark::kMillisecond)
        ->MeasureProcessCPUTime();
  };
  add("Urgent/leaf-uplink/11664", [](const topology::Topology& all, const topology::Cable& cable) {
    return is_at(all, cable, "L1-01-02") && is_at(all, cable, "L2-01-05");
  });
  add("Urgent/middle-root-link/11664", [](const topology::Topology& all, const topology::Cable& cable) {
    return is_at(all, cable, "L2-01-05") && is_at(all, cable, "L3-03-05");
  });
  add("Urgent/root/11664", [](const topology::Topology& all, const topology::Cable& cable) {
    return is_at(all, cable, "L3-03-05");
  });
  add("Urgent/middle/11664", [](const topology::Topology& all, const topology::Cable& cable) {
    return is_at(all, cable, "L2-01-05");
  });
  return true;
}();

}  // namespace
}  // namespace weft::plan
