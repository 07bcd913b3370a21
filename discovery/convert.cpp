#include "discovery/convert.h"

namespace weft::discovery {

std::optional<std::string> nonsense_in(const mad::NodeInfo& info) {
  if (info.node_guid == Guid{}) return "NodeGUID 0";
  if (info.port_guid == Guid{}) return "PortGUID 0";
  if (info.type < NodeType::hca || info.type > NodeType::router)
    return fmt::format("NodeType {}", raw(info.type));
  if (info.port_count == 0 || info.port_count > kMaxPorts) return fmt::format("NumPorts {}", info.port_count);
  if (raw(info.local_port) > info.port_count)
    return fmt::format("LocalPortNum {} of {}", raw(info.local_port), info.port_count);
  return std::nullopt;
}

fabric::Node to_node(const mad::NodeInfo& info) {
  fabric::Node node;
  node.guid = info.node_guid;
  node.system_guid = info.system_guid;
  node.type = info.type;
  node.port_count = info.port_count;
  node.vendor = info.vendor;
  node.device = info.device;
  node.revision = info.revision;
  node.pkey_capacity = info.partition_cap;
  return node;
}

fabric::Port to_port(const mad::PortInfo& info, Guid guid) {
  fabric::Port port;
  port.guid = guid;
  port.state = info.state;
  port.phys = info.phys;
  const bool usable = is_unicast(info.lid) && (raw(info.lid) & ((1u << info.lmc) - 1)) == 0;
  port.lid = usable ? info.lid : kLidNone;
  port.sm_lid = info.sm_lid;
  port.lmc = usable ? info.lmc : std::uint8_t{0};
  port.mtu_cap = info.mtu_cap;
  port.neighbor_mtu = info.neighbor_mtu;
  port.vl_cap = info.vl_cap;
  port.operational_vls = info.operational_vls;
  port.width = info.width_active;
  port.widest = mad::widest_supported(info);
  port.speed = mad::active_speed(info);
  port.fastest = mad::fastest_supported(info);
  port.capabilities = info.capabilities;
  port.arb_high_cap = info.vl_arb_high_cap;
  port.arb_low_cap = info.vl_arb_low_cap;
  port.known = true;
  return port;
}

fabric::SwitchFacts to_switch_facts(const mad::SwitchInfo& info) {
  return {.lft_capacity = info.lft_capacity,
          .mft_capacity = info.mft_capacity,
          .enhanced_port0 = info.enhanced_port0,
          .optimized_sl_to_vl = (info.optimized_sl_to_vl & 1) != 0,
          .enforced_pkeys = info.partition_enforcement_cap,
          .enforces_in = info.inbound_enforcement,
          .enforces_out = info.outbound_enforcement};
}

bool is_up(const fabric::Port& port) {
  return port.known && port.phys == PhysState::link_up && port.state >= PortState::init;
}

}  // namespace weft::discovery
