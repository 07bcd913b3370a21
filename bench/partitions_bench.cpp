// Partitions of 10,000 hosts: planning from nothing, and again when one host joins one of them.

#include <benchmark/benchmark.h>

#include <algorithm>

#include "partitions/plan_keys.h"
#include "tests/support/fabric_of.h"

namespace weft::partitions {
namespace {

/// 11,664 hosts, of which 10,000 are in 64 partitions: each in its tenant's by glob, in 8 shared ones by
/// GUID.
struct Tenants {
  fabric::Fabric fabric = test::fabric_of("fat-tree:radix=36,levels=3");
  fabric::PortRef self = *std::ranges::find_if(
      fabric.end_ports(), [this](fabric::PortRef port) { return !fabric.is_switch(port.node); });
  Policy policy;

  Tenants() {
    std::vector<Guid> hosts;
    for (const fabric::PortRef port : fabric.end_ports())
      if (!fabric.is_switch(port.node) && hosts.size() < 10'000) hosts.push_back(fabric.port(port).guid);
    for (std::size_t p = 0; p < 64; ++p) {
      Partition one{.name = "p" + std::to_string(p), .key = static_cast<std::uint16_t>(0x100 + p)};
      for (std::size_t h = 0; h < hosts.size(); ++h)
        if (h % 64 == p || p < 8)
          one.members.push_back({{.kind = Who::Kind::guid, .guid = hosts[h]}, Membership::full});
      policy.partitions.push_back(std::move(one));
    }
  }
};

void plan_from_nothing(benchmark::State& state) {
  const Tenants lab;
  for (auto _ : state) benchmark::DoNotOptimize(plan_keys(lab.fabric, lab.policy, nullptr, lab.self));
}
BENCHMARK(plan_from_nothing)->Name("Partitions/10000x64")->Unit(benchmark::kMillisecond);

void plan_one_more(benchmark::State& state) {
  Tenants lab;
  const auto memory = plan_keys(lab.fabric, lab.policy, nullptr, lab.self).memory;
  lab.policy.partitions[9].members.push_back({{.kind = Who::Kind::name, .name = "h11000"}, Membership::full});
  for (auto _ : state) benchmark::DoNotOptimize(plan_keys(lab.fabric, lab.policy, memory, lab.self));
}
BENCHMARK(plan_one_more)->Name("Partitions/10000x64/one-more")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weft::partitions
