#pragma once
// MlnxExtPortInfo: Mellanox's own attribute 0xff90, the only place that tells FDR10. Asked only of devices of
// that maker; an error status is normal.

#include "base/link.h"
#include "mad/port_info.h"

namespace weft::mad {

struct MlnxExtPortInfo {
  std::uint8_t state_change_enable = 0;
  std::uint8_t speed_supported = 0;  ///< 1 FDR10.
  std::uint8_t speed_enabled = 0;
  std::uint8_t speed_active = 0;
  bool operator==(const MlnxExtPortInfo&) const = default;
};
template <>
inline constexpr auto kLayout<MlnxExtPortInfo> =
    std::tuple{Field{24, 8, &MlnxExtPortInfo::state_change_enable, "StateChangeEnable"},
               Field{56, 8, &MlnxExtPortInfo::speed_supported, "LinkSpeedSupported"},
               Field{88, 8, &MlnxExtPortInfo::speed_enabled, "LinkSpeedEnabled"},
               Field{120, 8, &MlnxExtPortInfo::speed_active, "LinkSpeedActive"}};
static_assert(in_order<MlnxExtPortInfo>());

/// The speed that counts: FDR10 shows as QDR in PortInfo.
inline LinkSpeed active_speed(const PortInfo& port, const MlnxExtPortInfo& ext) {
  const LinkSpeed told = active_speed(port);
  return told == LinkSpeed::qdr && (ext.speed_active & 1) != 0 ? LinkSpeed::fdr10 : told;
}

}  // namespace weft::mad
