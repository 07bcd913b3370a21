// PortInfoExtended: which forward error correction a port may use at each speed, and which it uses. Every
// port knows the modes without, FireCode and Reed-Solomon, at each speed it supports; a link uses the
// strongest that both ends have enabled. Nothing of it changes what arrives.
#include "mad/port_info_extended.h"

#include <bit>

#include "sim/agents/agents.h"

namespace weft::sim {
namespace {

using mad::AttrId;
using mad::PortInfoExtended;
using mad::Status;

constexpr std::uint16_t kFecModes = 0x7;  // bit n: mode n

bool supports(const Port& port, LinkSpeed speed) {
  constexpr std::uint8_t kFdr = 1, kEdr = 2, kHdr = 4, kNdr = 8;
  const std::uint8_t bit = speed == LinkSpeed::fdr   ? kFdr
                           : speed == LinkSpeed::edr ? kEdr
                           : speed == LinkSpeed::hdr ? kHdr
                                                     : kNdr;
  return (port.info.speed_ext_supported & bit) != 0;
}

/// As it is, but for the mode in use.
PortInfoExtended held_by(const World& world, PortIndex p) {
  const Port& port = world.port(p);
  PortInfoExtended held;
  held.capabilities = 1;
  held.fdr_fec_supported = held.fdr_fec_enabled = supports(port, LinkSpeed::fdr) ? kFecModes : 0;
  held.edr_fec_supported = held.edr_fec_enabled = supports(port, LinkSpeed::edr) ? kFecModes : 0;
  held.hdr_fec_supported = held.hdr_fec_enabled = supports(port, LinkSpeed::hdr) ? kFecModes : 0;
  held.ndr_fec_supported = held.ndr_fec_enabled = supports(port, LinkSpeed::ndr) ? kFecModes : 0;
  const mad::DeviceBlocks* blocks = world.find_blocks(port.node);
  const mad::AttrData* written =
      blocks == nullptr ? nullptr : blocks->find(AttrId::port_info_extended, raw(port.number));
  if (written == nullptr) return held;
  const auto set = mad::decode<PortInfoExtended>(*written);
  held.fdr_fec_enabled = set.fdr_fec_enabled;
  held.edr_fec_enabled = set.edr_fec_enabled;
  held.hdr_fec_enabled = set.hdr_fec_enabled;
  held.ndr_fec_enabled = set.ndr_fec_enabled;
  return held;
}

std::uint16_t enabled_at(const PortInfoExtended& held, LinkSpeed speed) {
  switch (speed) {
    case LinkSpeed::fdr:
      return held.fdr_fec_enabled;
    case LinkSpeed::edr:
      return held.edr_fec_enabled;
    case LinkSpeed::hdr:
      return held.hdr_fec_enabled;
    case LinkSpeed::ndr:
      return held.ndr_fec_enabled;
    default:
      return 0;
  }
}

std::uint16_t mode_in_use(const World& world, PortIndex p) {
  if (world.port(p).peer == kNoPort || !world.link_up(p)) return 0;
  const LinkSpeed speed = mad::active_speed(world.port(p).info);
  const auto both = static_cast<unsigned>(enabled_at(held_by(world, p), speed) &
                                          enabled_at(held_by(world, world.port(p).peer), speed));
  return static_cast<std::uint16_t>(both == 0 ? 0 : std::bit_width(both) - 1);
}

bool fits(const PortInfoExtended& wanted, const PortInfoExtended& held) {
  return (wanted.fdr_fec_enabled & ~held.fdr_fec_supported) == 0 &&
         (wanted.edr_fec_enabled & ~held.edr_fec_supported) == 0 &&
         (wanted.hdr_fec_enabled & ~held.hdr_fec_supported) == 0 &&
         (wanted.ndr_fec_enabled & ~held.ndr_fec_supported) == 0;
}

}  // namespace

Status port_info_extended(Call& call) {
  if (!call.settings().port_info_extended) return Status::bad_method_attribute;
  const auto asked = static_cast<PortNum>(call.modifier & 0xff);
  const bool itself = !call.at_switch() && asked == PortNum{0};
  const PortIndex index = itself ? call.arrival : call.world.port_of(call.node, asked);
  if (index == kNoPort) return Status::bad_value;
  if (call.set) {
    if (!fits(mad::decode<PortInfoExtended>(call.data), held_by(call.world, index))) return Status::bad_value;
    call.world.blocks(call.node).set(AttrId::port_info_extended, raw(call.world.port(index).number),
                                     call.data);
  }
  PortInfoExtended told = held_by(call.world, index);
  told.fec_active = mode_in_use(call.world, index);
  call.data = mad::encode(told);
  return Status::ok;
}

}  // namespace weft::sim
