#include "qos/tables.h"

#include <algorithm>

namespace weft::qos {

Egress egress_of(const fabric::Fabric& fabric, fabric::PortRef port) {
  const NodeType type = fabric.node(port.node).type;
  if (type == NodeType::router) return Egress::router;
  if (type == NodeType::hca) return Egress::host;
  const auto& peer = fabric.port(port).peer;
  return peer && fabric.is_switch(peer->node) ? Egress::switch_to_switch : Egress::switch_to_host;
}

const TypedTable& TypedTables::of(Egress by) const {
  return by == Egress::host ? hosts : by == Egress::router ? routers : switches;
}

Vl folded(Vl vl, int link_vls) {
  const bool fits = link_vls >= 15 || raw(vl) == 15;
  return fits ? vl : static_cast<Vl>(raw(vl) % std::max(1, link_vls));
}

Arbitration folded(Arbitration tables, int link_vls) {
  for (auto* table : {&tables.high, &tables.low})
    for (ArbEntry& entry : *table) entry.vl = folded(entry.vl, link_vls);
  return tables;
}

}  // namespace weft::qos
