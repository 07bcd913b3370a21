#pragma once
// All attributes that have a layout, for tests that go through every one, and for the fuzz targets.

#include <random>
#include <string_view>
#include <tuple>

#include "mad/mad.h"
#include "mad/mlnx_ext_port_info.h"
#include "mad/node_info.h"
#include "mad/notice.h"
#include "mad/port_info.h"
#include "mad/port_info_extended.h"
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
                                        Attribute<SwitchPortStateTable>{"SwitchPortStateTable"}};

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

inline AttrData random_data(std::mt19937_64& random) {
  AttrData data;
  for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(random());
  return data;
}

}  // namespace weft::mad
