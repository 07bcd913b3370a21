#include "plan/port_settings.h"

#include <algorithm>

namespace weft::plan {

PortSettings settings_of_link(const fabric::Fabric& fabric, const Config& config, Lid sm_lid,
                              fabric::PortRef port) {
  const fabric::Port& here = fabric.port(port);
  PortSettings settings;
  if (!here.peer) return settings;
  settings.bring_up = here.known && fabric.port(*here.peer).known;
  settings.sm_lid = sm_lid;
  settings.sm_sl = config.subnet.sm_sl;
  settings.link = qos::settle(fabric, port, config.links);
  settings.local_phy_errors = config.links.local_phy_errors;
  settings.overrun_errors = config.links.overrun_errors;
  return settings;
}

std::vector<PortSettings> port_settings(const fabric::Fabric& fabric, const Config& config, const Lids& lids,
                                        Lid sm_lid, const partitions::PlannedKeys& keys) {
  std::size_t port_count = 0;
  for (const fabric::Node& node : fabric.nodes()) port_count += static_cast<std::size_t>(node.port_count) + 1;
  std::vector<PortSettings> all(port_count);
  for (std::size_t n = 0; n < fabric.node_count(); ++n) {
    const auto id = static_cast<NodeId>(n);
    const auto ports = fabric.ports(id);
    for (std::size_t p = 1; p < ports.size(); ++p) {
      if (!ports[p].peer) continue;
      PortSettings& settings = all[fabric.node(id).first_port + p];
      settings = settings_of_link(fabric, config, sm_lid, {id, static_cast<PortNum>(p)});
      const bool external = fabric.is_switch(id);
      if (keys.active && external) settings.enforcement = keys.enforced[fabric.node(id).first_port + p];
    }
  }
  for (std::size_t i = 0; i < fabric.end_ports().size(); ++i) {
    const fabric::PortRef ref = fabric.end_ports()[i];
    PortSettings& settings = all[fabric.node(ref.node).first_port + raw(ref.port)];
    settings.end_port = true;
    settings.lid = lids.of_end_port[i];
    settings.sm_lid = sm_lid;
    settings.sm_sl = config.subnet.sm_sl;
    settings.prefix = config.subnet.prefix;
    settings.subnet_timeout = config.subnet.subnet_timeout;
    settings.local_phy_errors = config.links.local_phy_errors;
    settings.overrun_errors = config.links.overrun_errors;
  }
  return all;
}

void keep_closed(const fabric::Fabric& fabric, std::span<const PortOrder> orders,
                 std::vector<PortSettings>& all) {
  for (const PortOrder& one : orders) {
    const auto& peer = fabric.port(one.port).peer;
    if (one.phys != PhysState::disabled || !peer) continue;
    for (const fabric::PortRef end : {one.port, *peer})
      all[fabric.node(end.node).first_port + raw(end.port)].bring_up = false;
  }
}

void set_high_limits(const fabric::Fabric& fabric, const qos::LanePlan& levels,
                     std::vector<PortSettings>& all) {
  if (!levels.active()) return;
  const bool has_strict =
      std::ranges::any_of(levels.levels, [](const qos::PlannedLevel& one) { return one.level.strict; });
  for (std::size_t n = 0; n < fabric.node_count(); ++n) {
    const auto id = static_cast<NodeId>(n);
    const auto ports = fabric.ports(id);
    for (std::size_t p = 1; p < ports.size(); ++p) {
      if (!ports[p].peer) continue;
      const qos::Egress by = qos::egress_of(fabric, {id, static_cast<PortNum>(p)});
      const std::uint8_t strict = has_strict ? qos::kNoHighLimit : std::uint8_t{0};
      const std::uint8_t limit = levels.typed ? levels.typed->of(by).arbitration.high_limit : strict;
      all[fabric.node(id).first_port + p].high_limit = ports[p].arb_high_cap > 0 ? limit : std::uint8_t{0};
    }
  }
}

int data_vls(const fabric::Port& port, const PortSettings& settings) {
  return std::max(1, lanes(port.state == PortState::active ? port.operational_vls : settings.link.vls));
}

int lanes_between_switches(const fabric::Fabric& fabric, const std::vector<PortSettings>& settings) {
  int fewest = 15;
  for (const NodeId id : fabric.switches()) {
    const auto ports = fabric.ports(id);
    for (std::size_t p = 1; p < ports.size(); ++p) {
      const fabric::Port& port = ports[p];
      if (!port.peer || !fabric.is_switch(port.peer->node)) continue;
      fewest = std::min(fewest, data_vls(port, settings[fabric.node(id).first_port + p]));
    }
  }
  return fewest;
}

}  // namespace weft::plan
