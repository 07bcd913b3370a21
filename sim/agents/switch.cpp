// SwitchInfo and SwitchPortStateTable: how a switch is set, and how its ports are.
#include "sim/agents/agents.h"

namespace weft::sim {
namespace {

using mad::Status;
using mad::SwitchInfo;

bool port_or_drop(const Call& call, PortNum port) {
  return port == kPortDrop || raw(port) <= call.self().port_count;
}

Status set_switch_info(Call& call) {
  const auto wanted = mad::decode<SwitchInfo>(call.data);
  SwitchInfo& held = call.world.switch_of(call.node).info;
  const bool has_mft_top = call.settings().multicast_fdb_top;
  if (raw(wanted.lft_top) >= held.lft_capacity) return Status::bad_value;
  for (const PortNum port :
       {wanted.default_port, wanted.default_multicast_primary, wanted.default_multicast_not_primary})
    if (!port_or_drop(call, port)) return Status::bad_value;
  // 0xbfff stands for "no group"; 0 is left alone, as from a manager that does not know the field.
  if (has_mft_top && wanted.mft_top != kLidNone &&
      (raw(wanted.mft_top) < 0xbfff || raw(wanted.mft_top) >= 0xc000 + held.mft_capacity))
    return Status::bad_value;
  held.lft_top = wanted.lft_top;
  held.default_port = wanted.default_port;
  held.default_multicast_primary = wanted.default_multicast_primary;
  held.default_multicast_not_primary = wanted.default_multicast_not_primary;
  held.lifetime = wanted.lifetime;
  if (wanted.state_changed) held.state_changed = false;
  if (has_mft_top && wanted.mft_top != kLidNone) held.mft_top = wanted.mft_top;
  return Status::ok;
}

}  // namespace

Status switch_info(Call& call) {
  if (!call.at_switch()) return Status::bad_method_attribute;
  if (call.set) {
    const Status status = set_switch_info(call);
    if (status != Status::ok) return status;
  }
  call.data = mad::encode(call.world.switch_of(call.node).info);
  return Status::ok;
}

Status switch_port_state(Call& call) {
  if (!call.at_switch() || !call.settings().switch_port_state) return Status::bad_method_attribute;
  const Node& node = call.self();
  mad::SwitchPortStateTable table;
  for (unsigned number = 0; number <= node.port_count && number < table.states.size(); ++number)
    table.states[number] =
        call.world.port(call.world.port_of(call.node, static_cast<PortNum>(number))).info.state;
  call.data = mad::encode(table);
  return Status::ok;
}

}  // namespace weft::sim
