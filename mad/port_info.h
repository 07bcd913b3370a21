#pragma once
// PortInfo: state and settings of one port. Source: IBTA vol. 1, 14.2.5.6; byte 56 (XDR) as newer releases
// define it.

#include <optional>
#include <string>

#include "base/link.h"
#include "mad/attribute_id.h"
#include "mad/layout.h"

namespace weft::mad {

struct PortInfo {
  std::uint64_t m_key = 0;
  std::uint64_t gid_prefix = 0;
  Lid lid{};
  Lid sm_lid{};
  std::uint32_t capabilities = 0;
  std::uint16_t diag_code = 0;
  std::uint16_t m_key_lease = 0;   ///< Seconds; 0 is for ever.
  PortNum local_port{};            ///< Where the request came in.
  std::uint8_t width_enabled = 0;  ///< Masks of LinkWidth.
  std::uint8_t width_supported = 0;
  LinkWidth width_active{};
  std::uint8_t speed_supported = 0;  ///< 1 SDR, 2 DDR, 4 QDR.
  PortState state{};
  PhysState phys{};
  std::uint8_t link_down_default = 0;
  std::uint8_t m_key_protect = 0;
  std::uint8_t lmc = 0;
  std::uint8_t speed_active = 0;
  std::uint8_t speed_enabled = 0;
  Mtu neighbor_mtu{};
  Sl sm_sl{};
  VlCount vl_cap{};
  std::uint8_t init_type = 0;
  std::uint8_t vl_high_limit = 0;
  std::uint8_t vl_arb_high_cap = 0;
  std::uint8_t vl_arb_low_cap = 0;
  std::uint8_t init_type_reply = 0;
  Mtu mtu_cap{};
  std::uint8_t vl_stall_count = 0;
  std::uint8_t hoq_life = 0;  ///< 4.096 us * 2^n; 20 and above: for ever.
  VlCount operational_vls{};
  bool enforce_in = false;
  bool enforce_out = false;
  bool filter_raw_in = false;
  bool filter_raw_out = false;
  std::uint16_t m_key_violations = 0;
  std::uint16_t pkey_violations = 0;
  std::uint16_t qkey_violations = 0;
  std::uint8_t guid_cap = 0;  ///< GUIDs the port's table holds.
  bool client_reregister = false;
  std::uint8_t multicast_pkey_trap_suppression = 0;
  std::uint8_t subnet_timeout = 0;  ///< 4.096 us * 2^n.
  std::uint8_t resp_time = 0;
  std::uint8_t local_phy_errors = 0;
  std::uint8_t overrun_errors = 0;
  std::uint16_t max_credit_hint = 0;
  std::uint8_t speed_ext2_active = 0;  ///< 1 XDR.
  std::uint8_t speed_ext2_supported = 0;
  std::uint8_t speed_ext2_enabled = 0;
  std::uint32_t round_trip_latency = 0;
  std::uint16_t capabilities2 = 0;
  std::uint8_t speed_ext_active = 0;  ///< 1 FDR, 2 EDR, 4 HDR, 8 NDR.
  std::uint8_t speed_ext_supported = 0;
  std::uint8_t speed_ext_enabled = 0;
  bool operator==(const PortInfo&) const = default;
};
template <>
inline constexpr auto kLayout<PortInfo> = std::tuple{
    Field{0, 64, &PortInfo::m_key, "M_Key"},
    Field{64, 64, &PortInfo::gid_prefix, "GidPrefix"},
    Field{128, 16, &PortInfo::lid, "LID"},
    Field{144, 16, &PortInfo::sm_lid, "MasterSMLID"},
    Field{160, 32, &PortInfo::capabilities, "CapabilityMask"},
    Field{192, 16, &PortInfo::diag_code, "DiagCode"},
    Field{208, 16, &PortInfo::m_key_lease, "M_KeyLeasePeriod"},
    Field{224, 8, &PortInfo::local_port, "LocalPortNum"},
    Field{232, 8, &PortInfo::width_enabled, "LinkWidthEnabled"},
    Field{240, 8, &PortInfo::width_supported, "LinkWidthSupported"},
    Field{248, 8, &PortInfo::width_active, "LinkWidthActive"},
    Field{256, 4, &PortInfo::speed_supported, "LinkSpeedSupported"},
    Field{260, 4, &PortInfo::state, "PortState"},
    Field{264, 4, &PortInfo::phys, "PortPhysicalState"},
    Field{268, 4, &PortInfo::link_down_default, "LinkDownDefaultState"},
    Field{272, 2, &PortInfo::m_key_protect, "M_KeyProtectBits"},
    Field{277, 3, &PortInfo::lmc, "LMC"},
    Field{280, 4, &PortInfo::speed_active, "LinkSpeedActive"},
    Field{284, 4, &PortInfo::speed_enabled, "LinkSpeedEnabled"},
    Field{288, 4, &PortInfo::neighbor_mtu, "NeighborMTU"},
    Field{292, 4, &PortInfo::sm_sl, "MasterSMSL"},
    Field{296, 4, &PortInfo::vl_cap, "VLCap"},
    Field{300, 4, &PortInfo::init_type, "InitType"},
    Field{304, 8, &PortInfo::vl_high_limit, "VLHighLimit"},
    Field{312, 8, &PortInfo::vl_arb_high_cap, "VLArbitrationHighCap"},
    Field{320, 8, &PortInfo::vl_arb_low_cap, "VLArbitrationLowCap"},
    Field{328, 4, &PortInfo::init_type_reply, "InitTypeReply"},
    Field{332, 4, &PortInfo::mtu_cap, "MTUCap"},
    Field{336, 3, &PortInfo::vl_stall_count, "VLStallCount"},
    Field{339, 5, &PortInfo::hoq_life, "HOQLife"},
    Field{344, 4, &PortInfo::operational_vls, "OperationalVLs"},
    Field{348, 1, &PortInfo::enforce_in, "PartitionEnforcementInbound"},
    Field{349, 1, &PortInfo::enforce_out, "PartitionEnforcementOutbound"},
    Field{350, 1, &PortInfo::filter_raw_in, "FilterRawInbound"},
    Field{351, 1, &PortInfo::filter_raw_out, "FilterRawOutbound"},
    Field{352, 16, &PortInfo::m_key_violations, "M_KeyViolations"},
    Field{368, 16, &PortInfo::pkey_violations, "P_KeyViolations"},
    Field{384, 16, &PortInfo::qkey_violations, "Q_KeyViolations"},
    Field{400, 8, &PortInfo::guid_cap, "GUIDCap"},
    Field{408, 1, &PortInfo::client_reregister, "ClientReregister"},
    Field{409, 2, &PortInfo::multicast_pkey_trap_suppression, "MulticastPKeyTrapSuppressionEnabled"},
    Field{411, 5, &PortInfo::subnet_timeout, "SubnetTimeOut"},
    Field{419, 5, &PortInfo::resp_time, "RespTimeValue"},
    Field{424, 4, &PortInfo::local_phy_errors, "LocalPhyErrors"},
    Field{428, 4, &PortInfo::overrun_errors, "OverrunErrors"},
    Field{432, 16, &PortInfo::max_credit_hint, "MaxCreditHint"},
    Field{449, 2, &PortInfo::speed_ext2_active, "LinkSpeedExtActive2"},
    Field{451, 2, &PortInfo::speed_ext2_supported, "LinkSpeedExtSupported2"},
    Field{453, 3, &PortInfo::speed_ext2_enabled, "LinkSpeedExtEnabled2"},
    Field{456, 24, &PortInfo::round_trip_latency, "LinkRoundTripLatency"},
    Field{480, 16, &PortInfo::capabilities2, "CapabilityMask2"},
    Field{496, 4, &PortInfo::speed_ext_active, "LinkSpeedExtActive"},
    Field{500, 4, &PortInfo::speed_ext_supported, "LinkSpeedExtSupported"},
    Field{507, 5, &PortInfo::speed_ext_enabled, "LinkSpeedExtEnabled"}};
static_assert(in_order<PortInfo>());

/// Bits of CapabilityMask.
enum class PortCap : std::uint32_t {
  is_sm = 1u << 1,
  notice = 1u << 2,
  trap = 1u << 3,
  sl_mapping = 1u << 6,
  sm_disabled = 1u << 10,
  extended_speeds = 1u << 14,
  mask2 = 1u << 15,
  client_reregister = 1u << 25,
  multicast_fdb_top = 1u << 30,
};
/// Bits of CapabilityMask2; valid with PortCap::mask2 only.
enum class PortCap2 : std::uint16_t {
  port_info_extended = 1u << 1,
  switch_port_state = 1u << 3,
  width_2x = 1u << 4,
  hdr = 1u << 5,
  ndr = 1u << 10,
  extended_speeds2 = 1u << 11,
  xdr = 1u << 12,
};

inline bool has(const PortInfo& port, PortCap bit) { return (port.capabilities & raw(bit)) != 0; }
inline bool has(const PortInfo& port, PortCap2 bit) {
  return has(port, PortCap::mask2) && (port.capabilities2 & raw(bit)) != 0;
}

/// AttributeModifier for a port; bit 31 says that we understand extended speeds, and asks to have them told.
constexpr std::uint32_t port_info_modifier(PortNum port) { return 0x80000000u | raw(port); }

/// The speed that counts: the newest field that is not zero.
LinkSpeed active_speed(const PortInfo& port);
LinkSpeed fastest_supported(const PortInfo& port);
LinkWidth widest_supported(const PortInfo& port);

/// Why an answered PortInfo cannot be true, or nothing: impossible state, MTU or VL code. An impossible LID
/// is no such reason: it is mended by giving the port another.
std::optional<std::string> nonsense_in(const PortInfo& port);

}  // namespace weft::mad
