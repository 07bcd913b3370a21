#include "plan/routes_over.h"

#include <algorithm>
#include <set>

namespace weft::plan {
namespace {

using fabric::PortRef;

/// The ports of switches that send over it.
std::vector<PortRef> senders(const fabric::Fabric& fabric, PortRef place) {
  std::vector<PortRef> ports;
  const std::size_t first = raw(place.port) == 0 ? 1 : raw(place.port);
  const std::size_t last = raw(place.port) == 0 ? fabric.node(place.node).port_count : raw(place.port);
  for (std::size_t p = first; p <= last; ++p) {
    const PortRef here{place.node, static_cast<PortNum>(p)};
    const auto& peer = fabric.port(here).peer;
    if (!peer) continue;
    if (raw(place.port) != 0 && fabric.is_switch(here.node)) ports.push_back(here);
    if (fabric.is_switch(peer->node)) ports.push_back(*peer);
  }
  return ports;
}

bool has_one_link(const fabric::Fabric& fabric, NodeId node) {
  return std::ranges::count_if(fabric.ports(node),
                               [](const fabric::Port& port) { return port.peer.has_value(); }) == 1;
}

/// LIDs of the nodes that the place is there for.
std::set<Lid> own_lids(const View& view, PortRef place) {
  const fabric::Fabric& fabric = *view.fabric;
  std::set<NodeId> nodes;
  const auto add_with_hosts = [&](NodeId node) {
    nodes.insert(node);
    for (const fabric::Port& port : fabric.ports(node))
      if (port.peer && !fabric.is_switch(port.peer->node)) nodes.insert(port.peer->node);
  };
  const auto is_drained = [&](NodeId node) {
    const auto order = view.ledger.orders->find({fabric.node(node).guid, PortNum{0}});
    return order != view.ledger.orders->end() && order->second.kind == Order::Kind::drained;
  };
  if (raw(place.port) == 0) {
    add_with_hosts(place.node);
  } else if (const auto& peer = fabric.port(place).peer) {
    for (const NodeId node : {place.node, peer->node}) {
      if (has_one_link(fabric, node)) nodes.insert(node);
      if (is_drained(node)) add_with_hosts(node);
    }
  }
  std::set<Lid> lids;
  const auto ends = fabric.end_ports();
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const LidRange range = view.plan->lids.of_end_port[i];
    if (range.base == kLidNone || !nodes.contains(ends[i].node)) continue;
    for (int k = 0; k < range.size(); ++k) lids.insert(static_cast<Lid>(raw(range.base) + k));
  }
  return lids;
}

}  // namespace

RoutesOver routes_over(const View& view, Place place, const MulticastTables* multicast) {
  const fabric::Fabric& fabric = *view.fabric;
  const auto node = fabric.find(place.node);
  if (!node || raw(place.port) > fabric.node(*node).port_count) return {};
  const PortRef at{*node, place.port};
  const std::set<Lid> own = own_lids(view, at);
  std::set<Lid> lids;
  std::set<Lid> groups;
  for (const PortRef port : senders(fabric, at)) {
    const SwitchId id = *fabric.switch_of(port.node);
    for (std::uint32_t lid = 1; lid <= raw(view.plan->lids.top); ++lid)
      if (view.plan->routes().out(id, static_cast<Lid>(lid)) == port.port &&
          !own.contains(static_cast<Lid>(lid)))
        lids.insert(static_cast<Lid>(lid));
    if (multicast == nullptr || raw(id) >= multicast->size()) continue;
    for (const MulticastEntry& entry : (*multicast)[raw(id)])
      if (routing::has_port(entry.ports, raw(port.port))) groups.insert(entry.mlid);
  }
  return {lids.size(), groups.size()};
}

}  // namespace weft::plan
