#pragma once
// All attributes that have a layout, for tests that go through every one, and for the fuzz targets.

#include <random>
#include <string_view>
#include <tuple>

#include "mad/adaptive_routing.h"
#include "mad/class_port_info.h"
#include "mad/mad.h"
#include "mad/mlnx_device_info.h"
#include "mad/mlnx_ext_port_info.h"
#include "mad/node_info.h"
#include "mad/notice.h"
#include "mad/perf.h"
#include "mad/port_info.h"
#include "mad/port_info_extended.h"
#include "mad/sa_records.h"
#include "mad/sm_info.h"
#include "mad/smp.h"
#include "mad/switch_info.h"
#include "mad/tables.h"

namespace weft::mad {

template <typename S>
struct Attribute {
  using Type = S;
  std::string_view name;  ///< The struct's own.
};

inline constexpr std::tuple kAttributes{Attribute<Header>{"Header"},
                                        Attribute<NodeInfo>{"NodeInfo"},
                                        Attribute<NodeDescription>{"NodeDescription"},
                                        Attribute<SwitchInfo>{"SwitchInfo"},
                                        Attribute<PortInfo>{"PortInfo"},
                                        Attribute<PortInfoExtended>{"PortInfoExtended"},
                                        Attribute<MlnxExtPortInfo>{"MlnxExtPortInfo"},
                                        Attribute<Notice>{"Notice"},
                                        Attribute<SmInfo>{"SmInfo"},
                                        Attribute<GuidInfo>{"GuidInfo"},
                                        Attribute<PkeyTable>{"PkeyTable"},
                                        Attribute<SlToVlTable>{"SlToVlTable"},
                                        Attribute<VlArbitrationTable>{"VlArbitrationTable"},
                                        Attribute<LinearForwardingTable>{"LinearForwardingTable"},
                                        Attribute<MulticastForwardingTable>{"MulticastForwardingTable"},
                                        Attribute<SwitchPortStateTable>{"SwitchPortStateTable"},
                                        Attribute<ClassPortInfo>{"ClassPortInfo"},
                                        Attribute<PortCounters>{"PortCounters"},
                                        Attribute<PortCountersExtended>{"PortCountersExtended"},
                                        Attribute<RcvErrorDetails>{"RcvErrorDetails"},
                                        Attribute<XmitDiscardDetails>{"XmitDiscardDetails"},
                                        Attribute<PairCounters>{"PairCounters"},
                                        Attribute<LaneCounters>{"LaneCounters"},
                                        Attribute<LaneData>{"LaneData"},
                                        Attribute<LaneErrors>{"LaneErrors"},
                                        Attribute<MlnxDeviceInfo>{"MlnxDeviceInfo"},
                                        Attribute<GeneralInfo>{"GeneralInfo"},
                                        Attribute<ArInfo>{"ArInfo"},
                                        Attribute<ArGroupTable>{"ArGroupTable"},
                                        Attribute<ArLft>{"ArLft"},
                                        Attribute<ArGroupCopy>{"ArGroupCopy"},
                                        Attribute<PlftInfo>{"PlftInfo"},
                                        Attribute<PlftDef>{"PlftDef"},
                                        Attribute<PlftMap>{"PlftMap"},
                                        Attribute<PortSlToPlft>{"PortSlToPlft"},
                                        Attribute<SaHeader>{"SaHeader"},
                                        Attribute<InformInfo>{"InformInfo"},
                                        Attribute<PathRecord>{"PathRecord"},
                                        Attribute<McMemberRecord>{"McMemberRecord"},
                                        Attribute<ServiceRecord>{"ServiceRecord"},
                                        Attribute<LinkRecord>{"LinkRecord"},
                                        Attribute<MultiPathRecord>{"MultiPathRecord"},
                                        Attribute<TraceRecord>{"TraceRecord"}};

/// Calls `visit(Attribute<S>)` for each.
template <typename Visit>
void for_each_attribute(Visit visit) {
  std::apply([&](const auto&... attribute) { (visit(attribute), ...); }, kAttributes);
}

/// Calls `visit(field)` for each field of S.
template <typename S, typename Visit>
void for_each_field(Visit visit) {
  std::apply([&](const auto&... field) { (visit(field), ...); }, kLayout<S>);
}

/// Room for an S: 64 bytes, or more where it is longer than the attributes of subnet management.
template <typename S>
using AttributeBytes = std::array<std::uint8_t, std::max(kSmpDataSize, layout_bytes<S>())>;

/// As encode(), for an S of any length.
template <typename S>
AttributeBytes<S> encode_whole(const S& value) {
  AttributeBytes<S> data{};
  encode_into(std::span<std::uint8_t>(data), value);
  return data;
}

template <typename Bytes = AttrData>
Bytes random_data(std::mt19937_64& random) {
  Bytes data;
  for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(random());
  return data;
}

}  // namespace weft::mad
