// The simulator: MADs a second through Transport::exchange, and the cost of a large fabric and its judgement.
#include <array>
#include <string>

#include <benchmark/benchmark.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "base/virtual_clock.h"
#include "mad/smp.h"
#include "sim/judge.h"
#include "sim/sim_transport.h"
#include "transport/run.h"

namespace {

using namespace weft;

/// Two levels: `leaves` switches with `hosts` hosts each, all joined to `spines` switches.
topology::Topology two_levels(unsigned leaves, unsigned hosts, unsigned spines) {
  topology::Topology tree;
  const auto add = [&tree](NodeType type, std::string id, unsigned ports) {
    topology::Node node;
    node.type = type;
    node.description = id;
    node.id = std::move(id);
    node.guid = static_cast<Guid>(0x1000 + tree.nodes.size() * 256);
    node.port_count = static_cast<std::uint8_t>(ports);
    tree.nodes.push_back(std::move(node));
    return static_cast<std::uint32_t>(tree.nodes.size() - 1);
  };
  const auto cable = [&tree](std::uint32_t a, unsigned a_port, std::uint32_t b, unsigned b_port) {
    tree.cables.push_back({{a, static_cast<PortNum>(a_port)}, {b, static_cast<PortNum>(b_port)}});
  };
  for (unsigned s = 0; s < spines; ++s) add(NodeType::switch_, "S" + std::to_string(s), leaves);
  for (unsigned l = 0; l < leaves; ++l) {
    const std::uint32_t leaf = add(NodeType::switch_, "L" + std::to_string(l), hosts + spines);
    for (unsigned s = 0; s < spines; ++s) cable(leaf, hosts + 1 + s, s, l + 1);
    for (unsigned h = 0; h < hosts; ++h)
      cable(add(NodeType::hca, "h" + std::to_string(l * hosts + h), 1), 1, leaf, h + 1);
  }
  return tree;
}

/// All ports Active, hosts with LIDs first, tables that spread LIDs over the spines.
void program(sim::World& world, unsigned spines, unsigned leaves, unsigned hosts) {
  unsigned lid = 0;
  for (const bool switches : {false, true})
    for (std::uint32_t n = 0; n < world.node_count(); ++n) {
      const sim::NodeIndex node{n};
      if (world.is_switch(node) == switches)
        world.set_lid(world.port_of(node, switches ? PortNum{0} : PortNum{1}), static_cast<Lid>(++lid));
    }
  for (std::uint32_t p = 0; p < world.port_slots(); ++p)
    if (world.link_up(sim::PortIndex{p})) world.port(sim::PortIndex{p}).info.state = PortState::active;
  const unsigned host_count = leaves * hosts;
  const auto tables = [&](std::string_view id) -> sim::Switch& {
    sim::Switch& sw = world.switch_of(*world.find(id));
    sw.lft.assign(lid + 1, kPortDrop);
    sw.info.lft_top = static_cast<Lid>(lid);
    return sw;
  };
  for (unsigned s = 0; s < spines; ++s) {
    sim::Switch& sw = tables("S" + std::to_string(s));
    for (unsigned h = 0; h < host_count; ++h) sw.lft[h + 1] = static_cast<PortNum>(h / hosts + 1);
    for (unsigned l = 0; l < leaves; ++l) sw.lft[host_count + spines + l + 1] = static_cast<PortNum>(l + 1);
    sw.lft[host_count + s + 1] = PortNum{0};
  }
  for (unsigned l = 0; l < leaves; ++l) {
    sim::Switch& sw = tables("L" + std::to_string(l));
    for (unsigned h = 0; h < host_count; ++h)
      sw.lft[h + 1] = static_cast<PortNum>(h / hosts == l ? h % hosts + 1 : hosts + 1 + h % spines);
    for (unsigned s = 0; s < spines; ++s) sw.lft[host_count + s + 1] = static_cast<PortNum>(hosts + 1 + s);
    for (unsigned o = 0; o < leaves; ++o)
      sw.lft[host_count + spines + o + 1] =
          o == l ? PortNum{0} : static_cast<PortNum>(hosts + 1 + o % spines);
  }
}

asio::awaitable<void> ask(transport::Transport& transport, mad::Mad request, int times, int& left) {
  for (int i = 0; i < times; ++i) {
    Result<mad::Mad> answer = co_await transport.exchange(request, std::chrono::milliseconds(200));
    benchmark::DoNotOptimize(answer);
  }
  --left;
}

/// Requests over three hops, 128 in flight, virtual time.
void exchanges(benchmark::State& state, const mad::Smp& request) {
  VirtualClock clock;
  const topology::Topology tree = two_levels(18, 18, 18);
  sim::World world(tree, clock, 1);
  sim::Network network(world);
  asio::io_context loop;
  sim::SimTransport transport(network, world.port_of(*world.find("h0"), PortNum{1}));
  constexpr int kInFlight = 128;
  constexpr int kEach = 200;
  for (auto _ : state) {
    int left = kInFlight;
    for (int i = 0; i < kInFlight; ++i)
      asio::co_spawn(loop, ask(transport, mad::to_mad(request), kEach, left), asio::detached);
    transport::run_virtual(loop, clock, [&] { return left == 0; });
  }
  state.SetItemsProcessed(state.iterations() * kInFlight * kEach);
}

mad::Smp smp(mad::Method method, mad::AttrId attribute, std::uint32_t modifier) {
  mad::Smp request;
  request.method = method;
  request.attribute = attribute;
  request.modifier = modifier;
  const std::array<PortNum, 3> exits{PortNum{1}, PortNum{19}, PortNum{2}};
  request.route = mad::DirectedRoute(exits);
  return request;
}

void SimNodeInfo(benchmark::State& state) {
  exchanges(state, smp(mad::Method::get, mad::AttrId::node_info, 0));
}
void SimPortInfo(benchmark::State& state) {
  exchanges(state, smp(mad::Method::get, mad::AttrId::port_info, 0x80000001u));
}
void SimSetLft(benchmark::State& state) {
  exchanges(state, smp(mad::Method::set, mad::AttrId::linear_forwarding, 3));
}
BENCHMARK(SimNodeInfo)->Unit(benchmark::kMillisecond);
BENCHMARK(SimPortInfo)->Unit(benchmark::kMillisecond);
BENCHMARK(SimSetLft)->Unit(benchmark::kMillisecond);

void SimBuildLargeWorld(benchmark::State& state) {
  const topology::Topology tree = two_levels(254, 64, 64);  // 16,256 hosts
  for (auto _ : state) {
    VirtualClock clock;
    sim::World world(tree, clock, 1);
    benchmark::DoNotOptimize(world.port_slots());
  }
}
BENCHMARK(SimBuildLargeWorld)->Unit(benchmark::kMillisecond);

void SimJudgeLargeWorld(benchmark::State& state) {
  const topology::Topology tree = two_levels(254, 64, 64);
  VirtualClock clock;
  sim::World world(tree, clock, 1);
  program(world, 64, 254, 64);
  for (auto _ : state) {
    const sim::Reach reach = sim::all_pairs(world);
    if (!reach.complete()) state.SkipWithError(reach.failures.front().c_str());
    if (const auto loop = sim::credit_loop(world)) state.SkipWithError(loop->c_str());
  }
}
BENCHMARK(SimJudgeLargeWorld)->Unit(benchmark::kMillisecond);

}  // namespace
