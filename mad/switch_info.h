#pragma once
// SwitchInfo: what a switch can hold and how it is set. Source: IBTA vol. 1, 14.2.5.4.

#include "mad/attribute_id.h"
#include "mad/layout.h"

namespace weft::mad {

struct SwitchInfo {
  std::uint16_t lft_capacity = 0;  ///< Entries the linear forwarding table can hold.
  std::uint16_t rft_capacity = 0;
  std::uint16_t mft_capacity = 0;
  Lid lft_top{};  ///< Highest LID the switch looks up.
  PortNum default_port{};
  PortNum default_multicast_primary{};
  PortNum default_multicast_not_primary{};
  std::uint8_t lifetime = 0;   ///< Packet lifetime, 4.096 us * 2^n; 20 and above: for ever.
  bool state_changed = false;  ///< Some port changed state; writing 1 clears it.
  std::uint8_t optimized_sl_to_vl = 0;
  std::uint16_t lids_per_port = 0;
  std::uint16_t partition_enforcement_cap = 0;
  bool inbound_enforcement = false;
  bool outbound_enforcement = false;
  bool filter_raw_inbound = false;
  bool filter_raw_outbound = false;
  bool enhanced_port0 = false;
  Lid mft_top{};
  bool operator==(const SwitchInfo&) const = default;
};
template <>
inline constexpr auto kLayout<SwitchInfo> =
    std::tuple{Field{0, 16, &SwitchInfo::lft_capacity, "LinearFDBCap"},
               Field{16, 16, &SwitchInfo::rft_capacity, "RandomFDBCap"},
               Field{32, 16, &SwitchInfo::mft_capacity, "MulticastFDBCap"},
               Field{48, 16, &SwitchInfo::lft_top, "LinearFDBTop"},
               Field{64, 8, &SwitchInfo::default_port, "DefaultPort"},
               Field{72, 8, &SwitchInfo::default_multicast_primary, "DefaultMulticastPrimaryPort"},
               Field{80, 8, &SwitchInfo::default_multicast_not_primary, "DefaultMulticastNotPrimaryPort"},
               Field{88, 5, &SwitchInfo::lifetime, "LifeTimeValue"},
               Field{93, 1, &SwitchInfo::state_changed, "PortStateChange"},
               Field{94, 2, &SwitchInfo::optimized_sl_to_vl, "OptimizedSLtoVLMappingProgramming"},
               Field{96, 16, &SwitchInfo::lids_per_port, "LIDsPerPort"},
               Field{112, 16, &SwitchInfo::partition_enforcement_cap, "PartitionEnforcementCap"},
               Field{128, 1, &SwitchInfo::inbound_enforcement, "InboundEnforcementCap"},
               Field{129, 1, &SwitchInfo::outbound_enforcement, "OutboundEnforcementCap"},
               Field{130, 1, &SwitchInfo::filter_raw_inbound, "FilterRawInboundCap"},
               Field{131, 1, &SwitchInfo::filter_raw_outbound, "FilterRawOutboundCap"},
               Field{132, 1, &SwitchInfo::enhanced_port0, "EnhancedPort0"},
               Field{144, 16, &SwitchInfo::mft_top, "MulticastFDBTop"}};
static_assert(in_order<SwitchInfo>());

}  // namespace weft::mad
