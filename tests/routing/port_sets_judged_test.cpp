// Port sets as exported, walked by the simulator: it reads the JSON, has the tables and SL2VL of the plan
// programmed, and knows nothing of how either came about.

#include <gtest/gtest.h>

#include "routing/chain.h"
#include "routing/port_sets.h"
#include "routing/port_sets_json.h"
#include "sim/port_sets.h"
#include "tests/routing/fabrics.h"
#include "tests/sim/fabrics.h"

namespace weft::routing {
namespace {

/// The same cabling as the simulator wants it.
topology::Topology topology_of(const fabric::Fabric& fabric) {
  topology::Topology topology;
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
    const fabric::Node& from = fabric.node(NodeId{n});
    topology::Node node;
    node.type = from.type;
    node.id = from.description;
    node.description = from.description;
    node.guid = from.guid;
    node.port_count = from.port_count;
    topology.nodes.push_back(node);
    const std::span<const fabric::Port> ports = fabric.ports(NodeId{n});
    for (std::uint32_t p = 1; p < ports.size(); ++p)
      if (ports[p].peer && raw(ports[p].peer->node) > n)
        topology.cables.push_back(
            {{n, static_cast<PortNum>(p)}, {raw(ports[p].peer->node), ports[p].peer->port}});
  }
  return topology;
}

/// The simulator with a plan's LIDs, tables and lanes in its devices.
struct Programmed : sim::Lab {
  Programmed(const Case& one, const Routes& routes) : Lab(topology_of(*one.fabric)) {
    for (std::uint32_t p = 0; p < world.port_slots(); ++p) {
      if (!world.link_up(sim::PortIndex{p})) continue;
      world.port(sim::PortIndex{p}).info.state = PortState::active;
      world.port(sim::PortIndex{p}).info.operational_vls = VlCount::vl8;
    }
    for (const Destination& d : one.problem.destinations) {
      const fabric::PortRef at{one.fabric->node_of(d.at), d.port};
      const fabric::PortRef owner = d.is_switch() ? at : *one.fabric->port(at).peer;
      const sim::NodeIndex node = *world.find(one.fabric->node(owner.node).description);
      world.set_lid(world.port_of(node, owner.port), d.base);
    }
    for (std::uint32_t s = 0; s < one.switches(); ++s) {
      const fabric::Node& node = one.fabric->node(SwitchId{s});
      sim::Switch& held = world.switch_of(*world.find(node.description));
      for (std::size_t lid = 0; lid < routes.lfts[s]->size(); ++lid)
        held.lft.push_back(PortNum{(*routes.lfts[s])[lid]});
      held.info.lft_top = routes.top;
      if (!routes.lanes) continue;
      const std::size_t ports = node.port_count + 1U;
      held.sl_to_vl.resize(ports * ports);
      for (std::size_t in = 0; in < ports; ++in) {
        for (std::size_t out = 0; out < ports; ++out) {
          const std::uint8_t vl =
              raw(routes.lanes->at(SwitchId{s}, static_cast<PortNum>(in), static_cast<PortNum>(out)));
          held.sl_to_vl[in * ports + out].fill(static_cast<std::uint8_t>(vl << 4 | vl));
        }
      }
    }
  }
};

sim::SetsVerdict verdict_of(const Case& one, const Routes& routes, const PortSets& sets) {
  const Programmed fabric(one, routes);
  const Result<sim::PortSets> read = sim::port_sets_from(fabric.world, to_json(one.problem, routes, sets));
  if (!read) return {0, {read.error().what}, ""};
  return sim::judge_port_sets(fabric.world, *read);
}

class Judged : public testing::TestWithParam<std::pair<const char*, Drawing>> {};

TEST_P(Judged, EveryMemberArrivesAndNothingCloses) {
  const Case one(GetParam().second);
  const Result<ChainResult> chain = route(one.problem, {.vls = 2});
  ASSERT_TRUE(chain);
  PortSets sets = *port_sets(one.problem, chain->routes);
  for (const std::size_t room : {std::size_t{1000}, std::size_t{3}, std::size_t{0}}) {
    limit(sets, room);
    EXPECT_TRUE(check_sets(one.problem, chain->routes, sets).safe());
    const sim::SetsVerdict verdict = verdict_of(one, chain->routes, sets);
    EXPECT_TRUE(verdict.good()) << room << ": "
                                << (verdict.failures.empty() ? verdict.credit_loop
                                                             : verdict.failures.front());
    EXPECT_GT(verdict.walked, one.switches());
  }
}

Drawing without(Drawing drawing, std::initializer_list<std::size_t> cuts) {
  for (const std::size_t cut : cuts) drawing.cut(cut);
  return drawing;
}

INSTANTIATE_TEST_SUITE_P(
    PortSets, Judged,
    testing::Values(std::pair{"tree", xgft({2, 3, 4}, {1, 3, 2})},
                    std::pair{"damaged_tree", without(xgft({2, 3, 4}, {1, 3, 2}), {1, 30})},
                    std::pair{"dragonfly", dragonfly(1, 4, 2, 5)},
                    std::pair{"damaged_dragonfly", without(dragonfly(1, 4, 2, 9), {60})},
                    std::pair{"dragonfly_plus", dragonfly_plus(1, 3, 3, 2, 4)},
                    std::pair{"dragonfly_plus_of_few_links", dragonfly_plus(1, 2, 4, 1, 5)},
                    std::pair{"damaged_dragonfly_plus", without(dragonfly_plus(1, 3, 3, 2, 4), {40})}),
    [](const auto& chosen) { return std::string(chosen.param.first); });

TEST(Judged, TheSimulatorAgreesOnAPlantedCycle) {
  // A ring with every way round: no way out of a circle, and both judges say so.
  const Case one(dragonfly(1, 3, 1, 4));
  const ChainResult chain = *route(one.problem, {.vls = 2});
  PortSets sets = *port_sets(one.problem, chain.routes);
  for (std::uint32_t s = 0; s < one.switches(); ++s) {  // every port to a switch, for every leaf
    PortMask all{};
    const std::span<const fabric::Port> ports = one.fabric->ports(SwitchId{s});
    for (std::uint32_t p = 1; p < ports.size(); ++p)
      if (ports[p].peer && one.fabric->is_switch(ports[p].peer->node))
        add_port(all, static_cast<std::uint8_t>(p));
    sets.sets[s].assign(2, all);
    for (std::size_t leaf = 0; leaf < sets.leaves.size(); ++leaf) sets.index(s, leaf) = 1;
  }
  EXPECT_FALSE(check_sets(one.problem, chain.routes, sets).safe());
  EXPECT_FALSE(verdict_of(one, chain.routes, sets).good());
}

}  // namespace
}  // namespace weft::routing
