#pragma once
// Perf: attributes of performance management, class 4: what a port has counted. They start at byte 64 of the
// MAD, like those of subnet management. Source: IBTA vol. 1, 16.1.

#include "base/ids.h"
#include "mad/attribute_id.h"
#include "mad/layout.h"

namespace weft::mad {

inline constexpr std::size_t kPerfDataAt = 64;
inline constexpr std::size_t kPerfDataSize = 192;

/// Attributes of class 4; their numbers mean other things in subnet management.
enum class PerfAttr : std::uint16_t {
  class_port_info = 0x01,
  samples_control = 0x10,
  samples_result = 0x11,
  port_counters = 0x12,
  rcv_error_details = 0x15,
  xmit_discard_details = 0x16,
  op_rcv_counters = 0x17,
  flow_control_counters = 0x18,
  vl_op_packets = 0x19,
  vl_op_data = 0x1a,
  vl_flow_control_errors = 0x1b,
  vl_xmit_wait = 0x1c,
  port_counters_extended = 0x1d,
};

/// Bits of ClassPortInfo's CapabilityMask in class 4.
enum class PerfCap : std::uint16_t {
  all_port_select = 1u << 8,  ///< PortSelect 255 stands for all ports.
  extended_width = 1u << 9,   ///< PortCountersExtended with all of its fields.
  xmit_wait = 1u << 12,
};

/// PortSelect for all ports of a node.
inline constexpr std::uint8_t kAllPorts = 255;

/// Data counts in words of 4 bytes. A bit of CounterSelect in a Set says that a counter takes the value
/// given; all counters stop at their largest value.
struct PortCounters {
  std::uint8_t port = 0;
  std::uint16_t select = 0;
  std::uint16_t symbol_errors = 0;
  std::uint8_t link_recoveries = 0;
  std::uint8_t link_downed = 0;
  std::uint16_t rcv_errors = 0;
  std::uint16_t rcv_remote_physical_errors = 0;
  std::uint16_t rcv_switch_relay_errors = 0;
  std::uint16_t xmit_discards = 0;
  std::uint8_t xmit_constraint_errors = 0;
  std::uint8_t rcv_constraint_errors = 0;
  std::uint8_t select2 = 0;
  std::uint8_t local_integrity_errors = 0;
  std::uint8_t buffer_overruns = 0;
  std::uint16_t qp1_dropped = 0;
  std::uint16_t vl15_dropped = 0;
  std::uint32_t xmit_data = 0;
  std::uint32_t rcv_data = 0;
  std::uint32_t xmit_packets = 0;
  std::uint32_t rcv_packets = 0;
  std::uint32_t xmit_wait = 0;
  bool operator==(const PortCounters&) const = default;
};
template <>
inline constexpr auto kLayout<PortCounters> =
    std::tuple{Field{8, 8, &PortCounters::port, "PortSelect"},
               Field{16, 16, &PortCounters::select, "CounterSelect"},
               Field{32, 16, &PortCounters::symbol_errors, "SymbolErrorCounter"},
               Field{48, 8, &PortCounters::link_recoveries, "LinkErrorRecoveryCounter"},
               Field{56, 8, &PortCounters::link_downed, "LinkDownedCounter"},
               Field{64, 16, &PortCounters::rcv_errors, "PortRcvErrors"},
               Field{80, 16, &PortCounters::rcv_remote_physical_errors, "PortRcvRemotePhysicalErrors"},
               Field{96, 16, &PortCounters::rcv_switch_relay_errors, "PortRcvSwitchRelayErrors"},
               Field{112, 16, &PortCounters::xmit_discards, "PortXmitDiscards"},
               Field{128, 8, &PortCounters::xmit_constraint_errors, "PortXmitConstraintErrors"},
               Field{136, 8, &PortCounters::rcv_constraint_errors, "PortRcvConstraintErrors"},
               Field{144, 8, &PortCounters::select2, "CounterSelect2"},
               Field{152, 4, &PortCounters::local_integrity_errors, "LocalLinkIntegrityErrors"},
               Field{156, 4, &PortCounters::buffer_overruns, "ExcessiveBufferOverrunErrors"},
               Field{160, 16, &PortCounters::qp1_dropped, "QP1Dropped"},
               Field{176, 16, &PortCounters::vl15_dropped, "VL15Dropped"},
               Field{192, 32, &PortCounters::xmit_data, "PortXmitData"},
               Field{224, 32, &PortCounters::rcv_data, "PortRcvData"},
               Field{256, 32, &PortCounters::xmit_packets, "PortXmitPkts"},
               Field{288, 32, &PortCounters::rcv_packets, "PortRcvPkts"},
               Field{320, 32, &PortCounters::xmit_wait, "PortXmitWait"}};
static_assert(in_order<PortCounters>());

struct PortCountersExtended {
  std::uint8_t port = 0;
  std::uint16_t select = 0;
  std::uint32_t select2 = 0;
  std::uint64_t xmit_data = 0;
  std::uint64_t rcv_data = 0;
  std::uint64_t xmit_packets = 0;
  std::uint64_t rcv_packets = 0;
  std::uint64_t unicast_xmit_packets = 0;
  std::uint64_t unicast_rcv_packets = 0;
  std::uint64_t multicast_xmit_packets = 0;
  std::uint64_t multicast_rcv_packets = 0;
  std::uint64_t symbol_errors = 0;
  std::uint64_t link_recoveries = 0;
  std::uint64_t link_downed = 0;
  std::uint64_t rcv_errors = 0;
  std::uint64_t rcv_remote_physical_errors = 0;
  std::uint64_t rcv_switch_relay_errors = 0;
  std::uint64_t xmit_discards = 0;
  std::uint64_t xmit_constraint_errors = 0;
  std::uint64_t rcv_constraint_errors = 0;
  std::uint64_t local_integrity_errors = 0;
  std::uint64_t buffer_overruns = 0;
  std::uint64_t vl15_dropped = 0;
  std::uint64_t xmit_wait = 0;
  std::uint64_t qp1_dropped = 0;
  bool operator==(const PortCountersExtended&) const = default;
};
template <>
inline constexpr auto kLayout<PortCountersExtended> = std::tuple{
    Field{8, 8, &PortCountersExtended::port, "PortSelect"},
    Field{16, 16, &PortCountersExtended::select, "CounterSelect"},
    Field{32, 32, &PortCountersExtended::select2, "CounterSelect2"},
    Field{64, 64, &PortCountersExtended::xmit_data, "PortXmitData"},
    Field{128, 64, &PortCountersExtended::rcv_data, "PortRcvData"},
    Field{192, 64, &PortCountersExtended::xmit_packets, "PortXmitPkts"},
    Field{256, 64, &PortCountersExtended::rcv_packets, "PortRcvPkts"},
    Field{320, 64, &PortCountersExtended::unicast_xmit_packets, "PortUnicastXmitPkts"},
    Field{384, 64, &PortCountersExtended::unicast_rcv_packets, "PortUnicastRcvPkts"},
    Field{448, 64, &PortCountersExtended::multicast_xmit_packets, "PortMulticastXmitPkts"},
    Field{512, 64, &PortCountersExtended::multicast_rcv_packets, "PortMulticastRcvPkts"},
    Field{576, 64, &PortCountersExtended::symbol_errors, "SymbolErrorCounter"},
    Field{640, 64, &PortCountersExtended::link_recoveries, "LinkErrorRecoveryCounter"},
    Field{704, 64, &PortCountersExtended::link_downed, "LinkDownedCounter"},
    Field{768, 64, &PortCountersExtended::rcv_errors, "PortRcvErrors"},
    Field{832, 64, &PortCountersExtended::rcv_remote_physical_errors, "PortRcvRemotePhysicalErrors"},
    Field{896, 64, &PortCountersExtended::rcv_switch_relay_errors, "PortRcvSwitchRelayErrors"},
    Field{960, 64, &PortCountersExtended::xmit_discards, "PortXmitDiscards"},
    Field{1024, 64, &PortCountersExtended::xmit_constraint_errors, "PortXmitConstraintErrors"},
    Field{1088, 64, &PortCountersExtended::rcv_constraint_errors, "PortRcvConstraintErrors"},
    Field{1152, 64, &PortCountersExtended::local_integrity_errors, "LocalLinkIntegrityErrors"},
    Field{1216, 64, &PortCountersExtended::buffer_overruns, "ExcessiveBufferOverrunErrors"},
    Field{1280, 64, &PortCountersExtended::vl15_dropped, "VL15Dropped"},
    Field{1344, 64, &PortCountersExtended::xmit_wait, "PortXmitWait"},
    Field{1408, 64, &PortCountersExtended::qp1_dropped, "QP1Dropped"}};
static_assert(in_order<PortCountersExtended>());

/// What PortRcvErrors is made of.
struct RcvErrorDetails {
  std::uint8_t port = 0;
  std::uint16_t select = 0;
  std::uint16_t local_physical_errors = 0;
  std::uint16_t malformed_packets = 0;
  std::uint16_t buffer_overruns = 0;
  std::uint16_t dlid_mapping_errors = 0;
  std::uint16_t vl_mapping_errors = 0;
  std::uint16_t looping_errors = 0;
  bool operator==(const RcvErrorDetails&) const = default;
};
template <>
inline constexpr auto kLayout<RcvErrorDetails> =
    std::tuple{Field{8, 8, &RcvErrorDetails::port, "PortSelect"},
               Field{16, 16, &RcvErrorDetails::select, "CounterSelect"},
               Field{32, 16, &RcvErrorDetails::local_physical_errors, "PortLocalPhysicalErrors"},
               Field{48, 16, &RcvErrorDetails::malformed_packets, "PortMalformedPacketErrors"},
               Field{64, 16, &RcvErrorDetails::buffer_overruns, "PortBufferOverrunErrors"},
               Field{80, 16, &RcvErrorDetails::dlid_mapping_errors, "PortDLIDMappingErrors"},
               Field{96, 16, &RcvErrorDetails::vl_mapping_errors, "PortVLMappingErrors"},
               Field{112, 16, &RcvErrorDetails::looping_errors, "PortLoopingErrors"}};
static_assert(in_order<RcvErrorDetails>());

/// What PortXmitDiscards is made of.
struct XmitDiscardDetails {
  std::uint8_t port = 0;
  std::uint16_t select = 0;
  std::uint16_t inactive = 0;
  std::uint16_t neighbor_mtu = 0;
  std::uint16_t lifetime_limit = 0;
  std::uint16_t hoq_lifetime_limit = 0;
  bool operator==(const XmitDiscardDetails&) const = default;
};
template <>
inline constexpr auto kLayout<XmitDiscardDetails> =
    std::tuple{Field{8, 8, &XmitDiscardDetails::port, "PortSelect"},
               Field{16, 16, &XmitDiscardDetails::select, "CounterSelect"},
               Field{32, 16, &XmitDiscardDetails::inactive, "PortInactiveDiscards"},
               Field{48, 16, &XmitDiscardDetails::neighbor_mtu, "PortNeighborMTUDiscards"},
               Field{64, 16, &XmitDiscardDetails::lifetime_limit, "PortSwLifetimeLimitDiscards"},
               Field{80, 16, &XmitDiscardDetails::hoq_lifetime_limit, "PortSwHOQLifetimeLimitDiscards"}};
static_assert(in_order<XmitDiscardDetails>());

/// Two counters: packets and data received for the operational lanes (0x17), or flow control packets sent and
/// received (0x18).
struct PairCounters {
  std::uint8_t port = 0;
  std::uint16_t select = 0;
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  bool operator==(const PairCounters&) const = default;
};
template <>
inline constexpr auto kLayout<PairCounters> = std::tuple{
    Field{8, 8, &PairCounters::port, "PortSelect"}, Field{16, 16, &PairCounters::select, "CounterSelect"},
    Field{32, 32, &PairCounters::first, "PortOpRcvPkts or PortXmitFlowPkts"},
    Field{64, 32, &PairCounters::second, "PortOpRcvData or PortRcvFlowPkts"}};
static_assert(in_order<PairCounters>());

inline constexpr std::size_t kLanes = 16;

/// A counter for each lane; bit n of CounterSelect is lane n's. Packets received (0x19), or ticks in which
/// data waited to be sent (0x1c).
struct LaneCounters {
  std::uint8_t port = 0;
  std::uint16_t select = 0;
  std::array<std::uint16_t, kLanes> lanes{};
  bool operator==(const LaneCounters&) const = default;
};
template <>
inline constexpr auto kLayout<LaneCounters> = std::tuple{
    Field{8, 8, &LaneCounters::port, "PortSelect"}, Field{16, 16, &LaneCounters::select, "CounterSelect"},
    ArrayField{32, 16, &LaneCounters::lanes, "PortVLOpPackets or PortVLXmitWait"}};
static_assert(in_order<LaneCounters>());

/// Data received on each lane (0x1a).
struct LaneData {
  std::uint8_t port = 0;
  std::uint16_t select = 0;
  std::array<std::uint32_t, kLanes> lanes{};
  bool operator==(const LaneData&) const = default;
};
template <>
inline constexpr auto kLayout<LaneData> =
    std::tuple{Field{8, 8, &LaneData::port, "PortSelect"}, Field{16, 16, &LaneData::select, "CounterSelect"},
               ArrayField{32, 32, &LaneData::lanes, "PortVLOpData"}};
static_assert(in_order<LaneData>());

/// Errors in the flow control updates of each lane (0x1b): two bits each.
struct LaneErrors {
  std::uint8_t port = 0;
  std::uint16_t select = 0;
  std::array<std::uint8_t, kLanes> lanes{};
  bool operator==(const LaneErrors&) const = default;
};
template <>
inline constexpr auto kLayout<LaneErrors> = std::tuple{
    Field{8, 8, &LaneErrors::port, "PortSelect"}, Field{16, 16, &LaneErrors::select, "CounterSelect"},
    ArrayField{32, 2, &LaneErrors::lanes, "PortVLXmitFlowCtlUpdateErrors"}};
static_assert(in_order<LaneErrors>());

}  // namespace weft::mad
