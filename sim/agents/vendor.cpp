// Mellanox's own attributes of every device: ExtendedPortInfo, which tells FDR10, GeneralInfo, which says
// what else a device knows, and of Mellanox's own class 0x0a the makes of hardware and firmware. Other
// makers' devices do not know them.
#include "mad/adaptive_routing.h"
#include "mad/class_port_info.h"
#include "mad/mlnx_device_info.h"
#include "mad/mlnx_ext_port_info.h"
#include "sim/agents/agents.h"

namespace weft::sim {
namespace {

using mad::GeneralCap;
using mad::Status;

bool offered(const Call& call) { return knows_mlnx(call.world, call.node); }

mad::MlnxDeviceInfo device_info(World& world, NodeIndex n) {
  using std::chrono::duration_cast;
  using std::chrono::seconds;
  const Node& node = world.node(n);
  mad::MlnxDeviceInfo told;
  told.hw_revision = 0xa0;
  told.device = node.device;
  told.uptime = static_cast<std::uint32_t>(duration_cast<seconds>(world.clock().now() - node.booted).count());
  told.fw_major = told.sw_major = 1;
  told.ext_major = 1;
  told.psid = "WEFTSIM";
  return told;
}

Status mlnx_served(World& world, PortIndex arrival, const mad::Header& header, std::span<std::uint8_t> data) {
  if (header.base_version != 1 || header.class_version != 1) return Status::bad_version;
  if (header.method != mad::Method::get && header.method != mad::Method::set) return Status::bad_method;
  if (header.method == mad::Method::set) return Status::bad_method_attribute;
  const auto attribute = static_cast<mad::MlnxAttr>(raw(header.attribute));
  if (attribute != mad::MlnxAttr::class_port_info && attribute != mad::MlnxAttr::general_info)
    return Status::bad_method_attribute;
  std::ranges::fill(data, std::uint8_t{0});
  if (attribute == mad::MlnxAttr::class_port_info)
    encode_into(data, mad::ClassPortInfo{.resp_time = 16});
  else
    encode_into(data, device_info(world, world.port(arrival).node));
  return Status::ok;
}

}  // namespace

bool knows_mlnx(const World& world, NodeIndex n) {
  return world.settings(n).vendor_attributes && mad::is_mellanox(world.node(n).vendor);
}

void answer_mlnx(World& world, PortIndex arrival, mad::Header& header, mad::Mad& mad) {
  world.counters().add(world.port(arrival).node, header.mgmt_class, header.method, header.attribute);
  header.status = raw(mlnx_served(world, arrival, header, std::span(mad.bytes).subspan(mad::kMlnxDataAt)));
  header.method = mad::Method::get_resp;
}

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
