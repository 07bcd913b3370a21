// Mellanox's own attributes of every device: ExtendedPortInfo, which tells FDR10, and GeneralInfo, which says
// what else a device knows. Other makers' devices do not know them.
#include "mad/adaptive_routing.h"
#include "mad/mlnx_ext_port_info.h"
#include "sim/agents/agents.h"

namespace weft::sim {
namespace {

using mad::GeneralCap;
using mad::Status;

bool offered(const Call& call) {
  return call.settings().vendor_attributes && mad::is_mellanox(call.self().vendor);
}

}  // namespace

Status ext_port_info(Call& call) {
  constexpr std::uint8_t kSetSpeed = 1;  // of StateChangeEnable
  if (!offered(call)) return Status::bad_method_attribute;
  const auto asked = static_cast<PortNum>(call.modifier & 0xff);
  const bool itself = !call.at_switch() && asked == PortNum{0};
  const PortIndex index = itself ? call.arrival : call.world.port_of(call.node, asked);
  if (index == kNoPort) return Status::bad_value;
  Port& port = call.world.port(index);
  if (call.set) {
    const auto wanted = mad::decode<mad::MlnxExtPortInfo>(call.data);
    const bool changes = (wanted.state_change_enable & kSetSpeed) != 0;
    if (changes && wanted.speed_enabled > (port.fdr10_supported ? 1 : 0)) return Status::bad_value;
    if (changes) port.fdr10_enabled = wanted.speed_enabled != 0;
  }
  mad::MlnxExtPortInfo told;
  told.speed_supported = port.fdr10_supported ? 1 : 0;
  told.speed_enabled = port.fdr10_enabled ? 1 : 0;
  told.speed_active = port.fdr10_active ? 1 : 0;
  call.data = mad::encode(told);
  return Status::ok;
}

Status general_info(Call& call) {
  if (!offered(call)) return Status::bad_method_attribute;
  if (call.modifier != mad::kGeneralInfoCapabilities) return Status::bad_value;
  mad::GeneralInfo told;
  mad::offer(told, GeneralCap::ext_port_info);
  if (call.at_switch() && call.world.switch_of(call.node).adaptive) {
    mad::offer(told, GeneralCap::adaptive_routing);
    mad::offer(told, GeneralCap::adaptive_routing_revision1);
    if (call.settings().adaptive.plfts > 1) {
      mad::offer(told, GeneralCap::private_lft);
      mad::offer(told, GeneralCap::port_sl_to_plft);
    }
  }
  call.data = mad::encode(told);
  return Status::ok;
}

}  // namespace weft::sim
