#pragma once
// The table attributes: forwarding, P_Keys, lanes, GUIDs, port states. Source: IBTA vol. 1, 14.2.5.5
// to 14.2.5.12.

#include "base/link.h"
#include "mad/attribute_id.h"
#include "mad/layout.h"

namespace weft::mad {

inline constexpr std::size_t kLftBlock = 64;

/// Out ports of LIDs 64 * block .. 64 * block + 63; 255 drops.
struct LinearForwardingTable {
  std::array<PortNum, kLftBlock> ports{};
  bool operator==(const LinearForwardingTable&) const = default;
};
template <>
inline constexpr auto kLayout<LinearForwardingTable> =
    std::tuple{ArrayField{0, 8, &LinearForwardingTable::ports, "Port"}};

/// Port masks of MLIDs 0xc000 + 32 * block + i; position p holds ports 16p .. 16p + 15, the lowest bit port
/// 16p.
struct MulticastForwardingTable {
  std::array<std::uint16_t, 32> masks{};
  bool operator==(const MulticastForwardingTable&) const = default;
};
template <>
inline constexpr auto kLayout<MulticastForwardingTable> =
    std::tuple{ArrayField{0, 16, &MulticastForwardingTable::masks, "PortMask"}};

struct PkeyTable {
  std::array<Pkey, 32> keys{};  ///< 0x0000 and 0x8000 are empty entries.
  bool operator==(const PkeyTable&) const = default;
};
template <>
inline constexpr auto kLayout<PkeyTable> = std::tuple{ArrayField{0, 16, &PkeyTable::keys, "P_Key"}};

struct SlToVlTable {
  std::array<Vl, 16> vl{};  ///< By SL; 15 drops.
  bool operator==(const SlToVlTable&) const = default;
};
template <>
inline constexpr auto kLayout<SlToVlTable> = std::tuple{ArrayField{0, 4, &SlToVlTable::vl, "VL"}};

struct VlArbitrationTable {
  std::array<std::uint16_t, 32> entries{};  ///< VL in bits 8..11, weight in bits 0..7.
  bool operator==(const VlArbitrationTable&) const = default;
};
template <>
inline constexpr auto kLayout<VlArbitrationTable> =
    std::tuple{ArrayField{0, 16, &VlArbitrationTable::entries, "Entry"}};

struct GuidInfo {
  std::array<Guid, 8> guids{};  ///< Entry 0 of block 0 is the port's own, read only.
  bool operator==(const GuidInfo&) const = default;
};
template <>
inline constexpr auto kLayout<GuidInfo> = std::tuple{ArrayField{0, 64, &GuidInfo::guids, "GUID"}};

/// State of every port of a switch in one packet, where CapabilityMask2 of its port 0 says it is offered.
struct SwitchPortStateTable {
  std::array<PortState, 128> states{};  ///< By port number.
  bool operator==(const SwitchPortStateTable&) const = default;
};
template <>
inline constexpr auto kLayout<SwitchPortStateTable> =
    std::tuple{ArrayField{0, 4, &SwitchPortStateTable::states, "PortState"}};

}  // namespace weft::mad
