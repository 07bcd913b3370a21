#pragma once
// PortInfoExtended: forward error correction of a port. Source: IBTA vol. 1, 14.2.5. Asked only where
// PortCap2::port_info_extended says so.

#include "mad/attribute_id.h"
#include "mad/layout.h"

namespace weft::mad {

struct PortInfoExtended {
  std::uint32_t capabilities = 0;  ///< Bit 0: the FEC fields are valid.
  std::uint16_t fec_active = 0;    ///< 0 is none.
  std::uint16_t fdr_fec_supported = 0;
  std::uint16_t fdr_fec_enabled = 0;
  std::uint16_t edr_fec_supported = 0;
  std::uint16_t edr_fec_enabled = 0;
  std::uint16_t hdr_fec_supported = 0;
  std::uint16_t hdr_fec_enabled = 0;
  std::uint16_t ndr_fec_supported = 0;
  std::uint16_t ndr_fec_enabled = 0;
  bool operator==(const PortInfoExtended&) const = default;
};
template <>
inline constexpr auto kLayout<PortInfoExtended> =
    std::tuple{Field{0, 32, &PortInfoExtended::capabilities, "CapMask"},
               Field{32, 16, &PortInfoExtended::fec_active, "FECModeActive"},
               Field{48, 16, &PortInfoExtended::fdr_fec_supported, "FDRFECModeSupported"},
               Field{64, 16, &PortInfoExtended::fdr_fec_enabled, "FDRFECModeEnabled"},
               Field{80, 16, &PortInfoExtended::edr_fec_supported, "EDRFECModeSupported"},
               Field{96, 16, &PortInfoExtended::edr_fec_enabled, "EDRFECModeEnabled"},
               Field{112, 16, &PortInfoExtended::hdr_fec_supported, "HDRFECModeSupported"},
               Field{128, 16, &PortInfoExtended::hdr_fec_enabled, "HDRFECModeEnabled"},
               Field{144, 16, &PortInfoExtended::ndr_fec_supported, "NDRFECModeSupported"},
               Field{160, 16, &PortInfoExtended::ndr_fec_enabled, "NDRFECModeEnabled"}};
static_assert(in_order<PortInfoExtended>());

}  // namespace weft::mad
