#include "tests/support/fabric_of.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include "topology/blueprint.h"

namespace weft::test {
namespace {

/// Tests have no use for a half-built fabric.
void must(const Result<void>& result) {
  if (!result) throw std::logic_error(result.error().what);
}

fabric::Builder builder_without(const fabric::Fabric& fabric, std::optional<Guid> node,
                                std::optional<fabric::PortRef> cut) {
  fabric::Builder builder;
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
    const auto id = static_cast<NodeId>(n);
    const fabric::Node& here = fabric.node(id);
    if (here.guid == node) continue;
    must(builder.add_node(here));
    for (std::size_t p = 0; p < fabric.ports(id).size(); ++p)
      must(builder.set_port(here.guid, static_cast<PortNum>(p), fabric.ports(id)[p]));
  }
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
    const auto id = static_cast<NodeId>(n);
    for (std::size_t p = 1; p < fabric.ports(id).size(); ++p) {
      const fabric::PortRef ref{id, static_cast<PortNum>(p)};
      const std::optional<fabric::PortRef>& peer = fabric.port(ref).peer;
      if (!peer || *peer < ref || ref == cut || *peer == cut) continue;
      if (fabric.node(id).guid == node || fabric.node(peer->node).guid == node) continue;
      must(builder.connect({fabric.node(id).guid, ref.port}, {fabric.node(peer->node).guid, peer->port}));
    }
  }
  return builder;
}

}  // namespace

topology::Topology topology_of(std::string_view blueprint) {
  Result<topology::Topology> made = topology::from_blueprint(blueprint);
  if (!made) throw std::logic_error(made.error().what);
  return std::move(*made);
}

fabric::Fabric fabric_of(std::string_view blueprint) { return fabric_of(topology_of(blueprint)); }

fabric::Fabric fabric_of(const topology::Topology& topology) {
  fabric::Builder builder;
  for (const topology::Node& from : topology.nodes) {
    const bool is_switch = from.type == NodeType::switch_;
    fabric::Node node;
    node.guid = from.guid;
    node.system_guid = from.system_guid;
    node.type = from.type;
    node.port_count = from.port_count;
    node.vendor = from.vendor;
    node.device = from.device;
    node.description = from.description;
    node.pkey_capacity = is_switch ? 32 : 64;
    if (is_switch)
      node.switch_facts = {.lft_capacity = 49152,
                           .mft_capacity = 16384,
                           .enhanced_port0 = from.enhanced_port0,
                           .enforced_pkeys = 32,
                           .enforces_in = true,
                           .enforces_out = true};
    must(builder.add_node(node));
    for (std::uint32_t p = is_switch ? 0 : 1; p <= from.port_count; ++p) {
      fabric::Port port;
      if (!is_switch)
        port.guid = from.port_guids.at(p - 1);
      else if (p == 0)
        port.guid = from.port_guids.empty() ? from.guid : from.port_guids.front();
      port.mtu_cap = Mtu::mtu4096;
      port.vl_cap = VlCount::vl8;
      port.arb_high_cap = port.arb_low_cap = 8;
      port.known = true;
      must(builder.set_port(from.guid, static_cast<PortNum>(p), port));
    }
  }
  for (const topology::Cable& cable : topology.cables) {
    for (const topology::End end : {cable.a, cable.b}) {
      const Guid guid = topology.nodes[end.node].guid;
      fabric::Port port = builder.port(guid, end.port);
      port.state = PortState::init;
      port.phys = PhysState::link_up;
      port.width = port.widest = cable.width;
      port.speed = port.fastest = cable.speed;
      must(builder.set_port(guid, end.port, port));
    }
    must(builder.connect({topology.nodes[cable.a.node].guid, cable.a.port},
                         {topology.nodes[cable.b.node].guid, cable.b.port}));
  }
  return builder.build();
}

topology::Topology shuffled(const topology::Topology& topology, std::uint32_t seed) {
  std::vector<std::uint32_t> order(topology.nodes.size());
  std::iota(order.begin(), order.end(), 0u);
  std::mt19937 random(seed);
  std::ranges::shuffle(order, random);
  topology::Topology other = topology;
  std::vector<std::uint32_t> place(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    other.nodes[i] = topology.nodes[order[i]];
    place[order[i]] = i;
  }
  for (topology::Cable& cable : other.cables) {
    cable.a.node = place[cable.a.node];
    cable.b.node = place[cable.b.node];
    if (random() % 2 == 0) std::swap(cable.a, cable.b);
  }
  std::ranges::shuffle(other.cables, random);
  return other;
}

fabric::Builder builder_from(const fabric::Fabric& fabric) { return builder_without(fabric, {}, {}); }

fabric::Fabric without_node(const fabric::Fabric& fabric, Guid node) {
  return builder_without(fabric, node, {}).build();
}

fabric::Fabric without_link(const fabric::Fabric& fabric, fabric::PortRef port) {
  return builder_without(fabric, {}, port).build();
}

}  // namespace weft::test
