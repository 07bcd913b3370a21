#pragma once
// What links and ports are made of, as the wire codes them and as people say them. Source: IBTA vol.
// 1, 14.2.5.6 (PortInfo) and 14.2.5.3 (NodeInfo).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::inline base {

enum class NodeType : std::uint8_t { hca = 1, switch_ = 2, router = 3 };

enum class PortState : std::uint8_t { no_change = 0, down = 1, init = 2, armed = 3, active = 4 };

enum class PhysState : std::uint8_t {
  no_change = 0,
  sleep = 1,
  polling = 2,
  disabled = 3,
  training = 4,
  link_up = 5,
  recovery = 6,
  phy_test = 7
};

/// PortInfo codes; 0 means "not told".
enum class Mtu : std::uint8_t { none = 0, mtu256 = 1, mtu512 = 2, mtu1024 = 3, mtu2048 = 4, mtu4096 = 5 };

/// Bytes of an MTU code; 0 for none and for codes that are none of these.
constexpr int bytes(Mtu mtu) {
  return mtu == Mtu::none || mtu > Mtu::mtu4096 ? 0 : 128 << static_cast<int>(mtu);
}

/// PortInfo's VLCap and OperationalVLs: 1 = VL0, 2 = VL0-1, 3 = VL0-3, 4 = VL0-7, 5 = VL0-14.
enum class VlCount : std::uint8_t { none = 0, vl1 = 1, vl2 = 2, vl4 = 3, vl8 = 4, vl15 = 5 };

/// Data VLs of a code: 1, 2, 4, 8 or 15; 0 for none and for codes that are none of these.
constexpr int lanes(VlCount vls) {
  if (vls == VlCount::none || vls > VlCount::vl15) return 0;
  return vls == VlCount::vl15 ? 15 : 1 << (static_cast<int>(vls) - 1);
}

/// Bits of LinkWidthSupported/Enabled; LinkWidthActive holds one of them.
enum class LinkWidth : std::uint8_t { none = 0, x1 = 1, x4 = 2, x8 = 4, x12 = 8, x2 = 16 };

/// Lanes of an active width; 0 for none.
constexpr int lanes(LinkWidth width) {
  switch (width) {
    case LinkWidth::x1:
      return 1;
    case LinkWidth::x2:
      return 2;
    case LinkWidth::x4:
      return 4;
    case LinkWidth::x8:
      return 8;
    case LinkWidth::x12:
      return 12;
    case LinkWidth::none:
      break;
  }
  return 0;
}

/// Signalling speeds in their true order, whatever PortInfo field tells them.
enum class LinkSpeed : std::uint8_t { none = 0, sdr, ddr, qdr, fdr10, fdr, edr, hdr, ndr, xdr };

/// Signalling rate of one lane in Mb/s: 2500 for SDR ... 212500 for XDR.
constexpr int lane_mbps(LinkSpeed speed) {
  constexpr int kMbps[] = {0, 2500, 5000, 10000, 10312, 14062, 25781, 53125, 106250, 212500};
  return kMbps[static_cast<int>(speed)];
}

std::string_view name(NodeType type);    ///< "hca", "switch", "router"
std::string_view name(PortState state);  ///< "down", "init", "armed", "active"
std::string_view name(PhysState state);
std::string_view name(LinkSpeed speed);                           ///< "SDR" ... "XDR"
std::string_view name(LinkWidth width);                           ///< "1x" ... "12x"
std::optional<LinkSpeed> link_speed_from(std::string_view text);  ///< upper or lower case
std::optional<LinkWidth> link_width_from(std::string_view text);
std::optional<Mtu> mtu_from_bytes(int bytes);

}  // namespace weft::inline base
