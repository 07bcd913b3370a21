#include "sim/link_training.h"

#include <algorithm>
#include <bit>

namespace weft::sim {
namespace {

constexpr std::uint8_t kExtendedOff = 30;  // of LinkSpeedExtEnabled
constexpr std::uint8_t kExtended2Off = 6;  // of LinkSpeedExtEnabled2, by analogy

unsigned top_bit(unsigned mask) { return mask == 0 ? 0 : std::bit_floor(mask); }

unsigned extended(const mad::PortInfo& port) {
  return port.speed_ext_enabled == kExtendedOff ? 0u : port.speed_ext_enabled;
}
unsigned extended2(const mad::PortInfo& port) {
  return port.speed_ext2_enabled == kExtended2Off ? 0u : port.speed_ext2_enabled;
}

LinkWidth widest_of(unsigned mask) {
  for (const LinkWidth width : {LinkWidth::x12, LinkWidth::x8, LinkWidth::x4, LinkWidth::x2, LinkWidth::x1})
    if (mask & raw(width)) return width;
  return LinkWidth::none;
}

std::uint8_t width_mask(LinkWidth widest) {
  switch (widest) {
    case LinkWidth::x12:
      return 1 | 2 | 8;
    case LinkWidth::x8:
      return 1 | 2 | 4;
    case LinkWidth::x4:
      return 1 | 2;
    case LinkWidth::x2:
      return 1 | 16;
    default:
      return 1;
  }
}

}  // namespace

void support(mad::PortInfo& port, LinkWidth widest, LinkSpeed fastest) {
  port.width_supported = port.width_enabled = width_mask(widest);
  const int basic = fastest >= LinkSpeed::qdr ? 3 : static_cast<int>(fastest);
  port.speed_supported = port.speed_enabled = static_cast<std::uint8_t>((1 << basic) - 1);
  const int ext = fastest < LinkSpeed::fdr ? 0
                  : fastest >= LinkSpeed::ndr
                      ? 4
                      : static_cast<int>(fastest) - static_cast<int>(LinkSpeed::fdr) + 1;
  port.speed_ext_supported = port.speed_ext_enabled = static_cast<std::uint8_t>((1 << ext) - 1);
  port.speed_ext2_supported = port.speed_ext2_enabled = fastest >= LinkSpeed::xdr ? 1 : 0;
}

bool agree(mad::PortInfo& a, mad::PortInfo& b) {
  const LinkWidth width = widest_of(a.width_enabled & b.width_enabled);
  const unsigned basic = top_bit(a.speed_enabled & b.speed_enabled);
  const unsigned ext2 = top_bit(extended2(a) & extended2(b));
  const unsigned ext = ext2 != 0 ? 0 : top_bit(extended(a) & extended(b));
  if (width == LinkWidth::none || (basic | ext | ext2) == 0) return false;
  for (mad::PortInfo* port : {&a, &b}) {
    port->width_active = width;
    port->speed_active = static_cast<std::uint8_t>(basic);
    port->speed_ext_active = static_cast<std::uint8_t>(ext);
    port->speed_ext2_active = static_cast<std::uint8_t>(ext2);
  }
  return true;
}

void forget_peer(mad::PortInfo& port) {
  port.neighbor_mtu = std::min(port.mtu_cap, Mtu::mtu2048);
  port.operational_vls = port.vl_cap;
  port.vl_high_limit = 0;
}

void hide_extended(mad::PortInfo& port) {
  port.speed_ext_active = port.speed_ext_supported = port.speed_ext_enabled = 0;
  port.speed_ext2_active = port.speed_ext2_supported = port.speed_ext2_enabled = 0;
}

}  // namespace weft::sim
