#include "qos/link_settings.h"

#include <algorithm>

namespace weft::qos {

LinkSettings settle(const fabric::Fabric& fabric, fabric::PortRef end, const LinkOptions& options) {
  const fabric::Port& here = fabric.port(end);
  if (!here.peer) return {};
  const fabric::Port& there = fabric.port(*here.peer);
  const bool faces_switch = fabric.is_switch(here.peer->node);
  LinkSettings settings;
  settings.mtu = std::min({here.mtu_cap, there.mtu_cap, options.max_mtu});
  settings.vls = std::min({here.vl_cap, there.vl_cap, options.max_vls});
  settings.hoq_life = faces_switch ? options.hoq_life : options.host_hoq_life;
  settings.vl_stall_count = faces_switch ? options.vl_stall_count : options.host_vl_stall_count;
  return settings;
}

}  // namespace weft::qos
