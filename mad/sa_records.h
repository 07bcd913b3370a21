#pragma once
// The records of subnet administration that are not a subnet management attribute behind a LID. Source: IBTA
// vol. 1, 13.4.8.3 (InformInfo) and 15.2.5.
//
// Those that are are a header here (LidHeader and its like) and the attribute behind it (sa/records.cpp).

#include "base/gid.h"
#include "base/link.h"
#include "mad/sa.h"

namespace weft::mad {

struct InformInfo {
  Gid gid{};
  Lid lid_begin{};
  Lid lid_end{};
  std::uint8_t generic = 0;
  std::uint8_t subscribe = 0;
  std::uint16_t type = 0;
  std::uint16_t trap = 0;
  std::uint32_t qpn = 0;
  std::uint8_t response_time = 0;
  std::uint32_t producer = 0;
  auto operator<=>(const InformInfo&) const = default;
};
template <>
inline constexpr auto kLayout<InformInfo> =
    std::tuple{ArrayField{0, 64, &InformInfo::gid, "GID"},
               Field{128, 16, &InformInfo::lid_begin, "LIDRangeBegin"},
               Field{144, 16, &InformInfo::lid_end, "LIDRangeEnd"},
               Field{176, 8, &InformInfo::generic, "IsGeneric"},
               Field{184, 8, &InformInfo::subscribe, "Subscribe"},
               Field{192, 16, &InformInfo::type, "Type"},
               Field{208, 16, &InformInfo::trap, "TrapNumber"},
               Field{224, 24, &InformInfo::qpn, "QPN"},
               Field{251, 5, &InformInfo::response_time, "RespTimeValue"},
               Field{264, 24, &InformInfo::producer, "ProducerType"}};
static_assert(in_order<InformInfo>());

struct PathRecord {
  std::uint64_t service_id = 0;
  Gid dgid{};
  Gid sgid{};
  Lid dlid{};
  Lid slid{};
  bool raw_traffic = false;
  std::uint32_t flow_label = 0;
  std::uint8_t hop_limit = 0;
  std::uint8_t tclass = 0;
  bool reversible = false;
  std::uint8_t paths = 0;  ///< NumbPath.
  Pkey pkey{};
  std::uint16_t qos_class = 0;
  Sl sl{};
  std::uint8_t mtu_selector = 0;
  std::uint8_t mtu = 0;
  std::uint8_t rate_selector = 0;
  std::uint8_t rate = 0;
  std::uint8_t lifetime_selector = 0;
  std::uint8_t lifetime = 0;
  std::uint8_t preference = 0;
  bool operator==(const PathRecord&) const = default;
};
template <>
inline constexpr auto kLayout<PathRecord> =
    std::tuple{Field{0, 64, &PathRecord::service_id, "ServiceID"},
               ArrayField{64, 64, &PathRecord::dgid, "DGID"},
               ArrayField{192, 64, &PathRecord::sgid, "SGID"},
               Field{320, 16, &PathRecord::dlid, "DLID"},
               Field{336, 16, &PathRecord::slid, "SLID"},
               Field{352, 1, &PathRecord::raw_traffic, "RawTraffic"},
               Field{356, 20, &PathRecord::flow_label, "FlowLabel"},
               Field{376, 8, &PathRecord::hop_limit, "HopLimit"},
               Field{384, 8, &PathRecord::tclass, "TClass"},
               Field{392, 1, &PathRecord::reversible, "Reversible"},
               Field{393, 7, &PathRecord::paths, "NumbPath"},
               Field{400, 16, &PathRecord::pkey, "P_Key"},
               Field{416, 12, &PathRecord::qos_class, "QoSClass"},
               Field{428, 4, &PathRecord::sl, "SL"},
               Field{432, 2, &PathRecord::mtu_selector, "MtuSelector"},
               Field{434, 6, &PathRecord::mtu, "Mtu"},
               Field{440, 2, &PathRecord::rate_selector, "RateSelector"},
               Field{442, 6, &PathRecord::rate, "Rate"},
               Field{448, 2, &PathRecord::lifetime_selector, "PacketLifeTimeSelector"},
               Field{450, 6, &PathRecord::lifetime, "PacketLifeTime"},
               Field{456, 8, &PathRecord::preference, "Preference"}};
static_assert(in_order<PathRecord>());

struct McMemberRecord {
  Gid mgid{};
  Gid port_gid{};
  std::uint32_t qkey = 0;
  Lid mlid{};
  std::uint8_t mtu_selector = 0;
  std::uint8_t mtu = 0;
  std::uint8_t tclass = 0;
  Pkey pkey{};
  std::uint8_t rate_selector = 0;
  std::uint8_t rate = 0;
  std::uint8_t lifetime_selector = 0;
  std::uint8_t lifetime = 0;
  Sl sl{};
  std::uint32_t flow_label = 0;
  std::uint8_t hop_limit = 0;
  std::uint8_t scope = 0;
  std::uint8_t join_state = 0;
  bool proxy_join = false;
  bool operator==(const McMemberRecord&) const = default;
};
template <>
inline constexpr auto kLayout<McMemberRecord> =
    std::tuple{ArrayField{0, 64, &McMemberRecord::mgid, "MGID"},
               ArrayField{128, 64, &McMemberRecord::port_gid, "PortGID"},
               Field{256, 32, &McMemberRecord::qkey, "Q_Key"},
               Field{288, 16, &McMemberRecord::mlid, "MLID"},
               Field{304, 2, &McMemberRecord::mtu_selector, "MTUSelector"},
               Field{306, 6, &McMemberRecord::mtu, "MTU"},
               Field{312, 8, &McMemberRecord::tclass, "TClass"},
               Field{320, 16, &McMemberRecord::pkey, "P_Key"},
               Field{336, 2, &McMemberRecord::rate_selector, "RateSelector"},
               Field{338, 6, &McMemberRecord::rate, "Rate"},
               Field{344, 2, &McMemberRecord::lifetime_selector, "PacketLifeTimeSelector"},
               Field{346, 6, &McMemberRecord::lifetime, "PacketLifeTime"},
               Field{352, 4, &McMemberRecord::sl, "SL"},
               Field{356, 20, &McMemberRecord::flow_label, "FlowLabel"},
               Field{376, 8, &McMemberRecord::hop_limit, "HopLimit"},
               Field{384, 4, &McMemberRecord::scope, "Scope"},
               Field{388, 4, &McMemberRecord::join_state, "JoinState"},
               Field{392, 1, &McMemberRecord::proxy_join, "ProxyJoin"}};
static_assert(in_order<McMemberRecord>());

/// Bits of JoinState.
namespace join {
inline constexpr std::uint8_t kFull = 1;
inline constexpr std::uint8_t kNon = 2;
inline constexpr std::uint8_t kSendOnlyNon = 4;
inline constexpr std::uint8_t kSendOnlyFull = 8;
}  // namespace join

struct ServiceRecord {
  std::uint64_t id = 0;
  Gid gid{};
  Pkey pkey{};
  std::uint32_t lease = 0;  ///< Seconds; 0xffffffff: for ever.
  std::array<std::uint64_t, 2> key{};
  std::array<std::uint8_t, 64> name{};
  std::array<std::uint8_t, 64> data{};  ///< ServiceData8, 16, 32 and 64, as they travel.
  bool operator==(const ServiceRecord&) const = default;
};
template <>
inline constexpr auto kLayout<ServiceRecord> =
    std::tuple{Field{0, 64, &ServiceRecord::id, "ServiceID"},
               ArrayField{64, 64, &ServiceRecord::gid, "ServiceGID"},
               Field{192, 16, &ServiceRecord::pkey, "ServiceP_Key"},
               Field{224, 32, &ServiceRecord::lease, "ServiceLease"},
               ArrayField{256, 64, &ServiceRecord::key, "ServiceKey"},
               ArrayField{384, 8, &ServiceRecord::name, "ServiceName"},
               ArrayField{896, 8, &ServiceRecord::data, "ServiceData"}};
static_assert(in_order<ServiceRecord>());

struct LinkRecord {
  Lid from_lid{};
  PortNum from_port{};
  PortNum to_port{};
  Lid to_lid{};
  bool operator==(const LinkRecord&) const = default;
};
template <>
inline constexpr auto kLayout<LinkRecord> = std::tuple{
    Field{0, 16, &LinkRecord::from_lid, "FromLID"}, Field{16, 8, &LinkRecord::from_port, "FromPort"},
    Field{24, 8, &LinkRecord::to_port, "ToPort"}, Field{32, 16, &LinkRecord::to_lid, "ToLID"}};
static_assert(in_order<LinkRecord>());

/// One node on the way of a path. Source: IBTA vol. 1, 15.2.5.18.
struct TraceRecord {
  std::uint64_t gid_prefix = 0;
  std::uint16_t id_generation = 0;
  NodeType node_type{};
  Guid node{};
  Guid chassis{};
  Guid entry_guid{};  ///< GUID of the port where packets come in; a switch's: of its port 0.
  Guid exit_guid{};
  PortNum entry_port{};  ///< 0 at the source.
  PortNum exit_port{};   ///< 0 at the destination.
  bool operator==(const TraceRecord&) const = default;
};
template <>
inline constexpr auto kLayout<TraceRecord> =
    std::tuple{Field{0, 64, &TraceRecord::gid_prefix, "GIDPrefix"},
               Field{64, 16, &TraceRecord::id_generation, "IDGeneration"},
               Field{88, 8, &TraceRecord::node_type, "NodeType"},
               Field{96, 64, &TraceRecord::node, "NodeID"},
               Field{160, 64, &TraceRecord::chassis, "ChassisID"},
               Field{224, 64, &TraceRecord::entry_guid, "EntryPortID"},
               Field{288, 64, &TraceRecord::exit_guid, "ExitPortID"},
               Field{352, 8, &TraceRecord::entry_port, "EntryPort"},
               Field{360, 8, &TraceRecord::exit_port, "ExitPort"}};
static_assert(in_order<TraceRecord>());

/// The fixed part of a MultiPathRecord; its GIDs follow: SGIDs, then DGIDs.
struct MultiPathRecord {
  bool raw_traffic = false;
  std::uint32_t flow_label = 0;
  std::uint8_t hop_limit = 0;
  std::uint8_t tclass = 0;
  bool reversible = false;
  std::uint8_t paths = 0;
  Pkey pkey{};
  std::uint16_t qos_class = 0;
  Sl sl{};
  std::uint8_t mtu_selector = 0;
  std::uint8_t mtu = 0;
  std::uint8_t rate_selector = 0;
  std::uint8_t rate = 0;
  std::uint8_t lifetime_selector = 0;
  std::uint8_t lifetime = 0;
  std::uint8_t independence = 0;
  std::uint8_t sgids = 0;
  std::uint8_t dgids = 0;
  bool operator==(const MultiPathRecord&) const = default;
};
template <>
inline constexpr auto kLayout<MultiPathRecord> =
    std::tuple{Field{0, 1, &MultiPathRecord::raw_traffic, "RawTraffic"},
               Field{4, 20, &MultiPathRecord::flow_label, "FlowLabel"},
               Field{24, 8, &MultiPathRecord::hop_limit, "HopLimit"},
               Field{32, 8, &MultiPathRecord::tclass, "TClass"},
               Field{40, 1, &MultiPathRecord::reversible, "Reversible"},
               Field{41, 7, &MultiPathRecord::paths, "NumbPath"},
               Field{48, 16, &MultiPathRecord::pkey, "P_Key"},
               Field{64, 12, &MultiPathRecord::qos_class, "QoSClass"},
               Field{76, 4, &MultiPathRecord::sl, "SL"},
               Field{80, 2, &MultiPathRecord::mtu_selector, "MtuSelector"},
               Field{82, 6, &MultiPathRecord::mtu, "Mtu"},
               Field{88, 2, &MultiPathRecord::rate_selector, "RateSelector"},
               Field{90, 6, &MultiPathRecord::rate, "Rate"},
               Field{96, 2, &MultiPathRecord::lifetime_selector, "PacketLifeTimeSelector"},
               Field{98, 6, &MultiPathRecord::lifetime, "PacketLifeTime"},
               Field{112, 2, &MultiPathRecord::independence, "IndependenceSelector"},
               Field{120, 8, &MultiPathRecord::sgids, "SGIDCount"},
               Field{128, 8, &MultiPathRecord::dgids, "DGIDCount"}};
static_assert(in_order<MultiPathRecord>());
inline constexpr std::size_t kMultiPathGidsAt = 24;

}  // namespace weft::mad
