#include "fabric/path_tree.h"

#include <algorithm>

namespace weft::fabric {

PathTree::PathTree(const Fabric& fabric, PortRef origin)
    : from_(fabric.node_count()), entry_(fabric.node_count()), hops_(fabric.node_count(), kUnreached) {
  hops_[raw(origin.node)] = 0;
  entry_[raw(origin.node)] = origin.port;
  std::vector<NodeId> reached{origin.node};
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const NodeId here = reached[next];
    const bool start = here == origin.node;
    if (!fabric.is_switch(here) && !start) continue;  // HCAs and routers do not forward
    const auto ports = fabric.ports(here);
    for (std::size_t p = 1; p < ports.size(); ++p) {
      if (start && !fabric.is_switch(here) && static_cast<PortNum>(p) != origin.port) continue;
      const Port& port = ports[p];
      if (!port.peer || hops_[raw(port.peer->node)] != kUnreached) continue;
      hops_[raw(port.peer->node)] = static_cast<std::uint16_t>(hops_[raw(here)] + 1);
      from_[raw(port.peer->node)] = {here, static_cast<PortNum>(p)};
      entry_[raw(port.peer->node)] = port.peer->port;
      reached.push_back(port.peer->node);
    }
  }
}

std::optional<std::vector<PortNum>> PathTree::ports_to(NodeId node) const {
  if (!reaches(node)) return std::nullopt;
  std::vector<PortNum> ports;
  for (NodeId at = node; hops_[raw(at)] > 0; at = from_[raw(at)].node) ports.push_back(from_[raw(at)].port);
  std::ranges::reverse(ports);
  return ports;
}

std::optional<std::vector<PortNum>> PathTree::ports_to(const Fabric& fabric, PortRef port) const {
  const bool any_port_will_do = fabric.is_switch(port.node) || port.port == entry_port(port.node);
  const std::optional<PortRef> before = any_port_will_do ? std::nullopt : fabric.port(port).peer;
  if (!before || !fabric.is_switch(before->node) || !reaches(before->node)) return ports_to(port.node);
  auto ports = ports_to(before->node);
  ports->push_back(before->port);
  return ports;
}

}  // namespace weft::fabric
