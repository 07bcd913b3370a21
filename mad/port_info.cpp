#include "mad/port_info.h"

#include <bit>

namespace weft::mad {
namespace {

LinkSpeed from_masks(unsigned basic, unsigned ext, unsigned ext2) {
  if (ext2 & 1) return LinkSpeed::xdr;
  if (ext & 8) return LinkSpeed::ndr;
  if (ext & 4) return LinkSpeed::hdr;
  if (ext & 2) return LinkSpeed::edr;
  if (ext & 1) return LinkSpeed::fdr;
  if (basic & 4) return LinkSpeed::qdr;
  if (basic & 2) return LinkSpeed::ddr;
  if (basic & 1) return LinkSpeed::sdr;
  return LinkSpeed::none;
}

}  // namespace

LinkSpeed active_speed(const PortInfo& port) {
  return from_masks(port.speed_active, port.speed_ext_active, port.speed_ext2_active);
}

LinkSpeed fastest_supported(const PortInfo& port) {
  return from_masks(port.speed_supported, port.speed_ext_supported, port.speed_ext2_supported);
}

LinkWidth widest_supported(const PortInfo& port) {
  for (const LinkWidth width : {LinkWidth::x12, LinkWidth::x8, LinkWidth::x4, LinkWidth::x2, LinkWidth::x1})
    if (port.width_supported & raw(width)) return width;
  return LinkWidth::none;
}

std::optional<std::string> nonsense_in(const PortInfo& port) {
  if (port.state < PortState::down || port.state > PortState::active)
    return fmt::format("PortState {}", raw(port.state));
  if (port.phys > PhysState::phy_test) return fmt::format("PortPhysicalState {}", raw(port.phys));
  if (port.mtu_cap < Mtu::mtu256 || port.mtu_cap > Mtu::mtu4096)
    return fmt::format("MTUCap {}", raw(port.mtu_cap));
  if (port.vl_cap > VlCount::vl15) return fmt::format("VLCap {}", raw(port.vl_cap));
  return std::nullopt;
}

}  // namespace weft::mad
