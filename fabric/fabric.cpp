#include "fabric/fabric.h"

#include <algorithm>

#include <fmt/format.h>

namespace weft::fabric {

std::optional<SwitchId> Fabric::switch_of(NodeId id) const {
  if (!is_switch(id)) return std::nullopt;
  return switch_ids_[raw(id)];
}

std::optional<NodeId> Fabric::find(Guid node_guid) const {
  const auto at = std::ranges::lower_bound(nodes_, node_guid, {}, &Node::guid);
  if (at == nodes_.end() || at->guid != node_guid) return std::nullopt;
  return static_cast<NodeId>(at - nodes_.begin());
}

std::optional<PortRef> Fabric::find_port(Guid port_guid) const {
  const auto at = std::ranges::lower_bound(port_guids_, port_guid, {}, &std::pair<Guid, PortRef>::first);
  if (at == port_guids_.end() || at->first != port_guid) return std::nullopt;
  return at->second;
}

Fabric Fabric::with(std::span<const std::pair<PortRef, Port>> ports) const {
  Fabric changed = *this;
  for (const auto& [ref, port] : ports) {
    Port& slot = changed.ports_[node(ref.node).first_port + raw(ref.port)];
    const std::optional<PortRef> peer = slot.peer;
    slot = port;
    slot.peer = peer;
  }
  return changed;
}

std::string describe(const Node& node) {
  if (node.description.empty()) return to_string(node.guid);
  return fmt::format("{} ({})", to_string(node.guid), node.description);
}

std::string describe(const Fabric& fabric, PortRef port) {
  return fmt::format("{} port {}", describe(fabric.node(port.node)), raw(port.port));
}

}  // namespace weft::fabric
