// Fields of attributes by their standard names, so that a script can forge any of them.
#include "mad/node_info.h"
#include "mad/port_info.h"
#include "mad/port_info_extended.h"
#include "mad/sm_info.h"
#include "mad/switch_info.h"
#include "mad/tables.h"
#include "sim/faults/reading.h"

namespace weft::sim {
namespace {

/// Calls `visit(name, first bit, bits)` for every number in the layout of S.
template <typename S, typename Visit>
void each_field(const Visit& visit) {
  const auto one = [&visit](const auto& field) {
    if constexpr (requires { std::tuple_size<std::remove_cvref_t<decltype(S{}.*field.member)>>::value; }) {
      constexpr std::size_t kCount = std::tuple_size_v<std::remove_cvref_t<decltype(S{}.*field.member)>>;
      for (std::size_t i = 0; i < kCount; ++i)
        visit(fmt::format("{}[{}]", field.name, i), field.first + i * field.bits, field.bits);
    } else if (field.bits <= 64) {
      visit(std::string(field.name), field.first, field.bits);
    }
  };
  mad::each_field<S>(one);
}

template <typename Visit>
void each_field_of(mad::AttrId attribute, const Visit& visit) {
  switch (attribute) {
    case mad::AttrId::node_info:
      return each_field<mad::NodeInfo>(visit);
    case mad::AttrId::switch_info:
      return each_field<mad::SwitchInfo>(visit);
    case mad::AttrId::port_info:
      return each_field<mad::PortInfo>(visit);
    case mad::AttrId::port_info_extended:
      return each_field<mad::PortInfoExtended>(visit);
    case mad::AttrId::sm_info:
      return each_field<mad::SmInfo>(visit);
    case mad::AttrId::guid_info:
      return each_field<mad::GuidInfo>(visit);
    case mad::AttrId::pkey_table:
      return each_field<mad::PkeyTable>(visit);
    case mad::AttrId::sl_to_vl:
      return each_field<mad::SlToVlTable>(visit);
    case mad::AttrId::vl_arbitration:
      return each_field<mad::VlArbitrationTable>(visit);
    case mad::AttrId::linear_forwarding:
      return each_field<mad::LinearForwardingTable>(visit);
    case mad::AttrId::multicast_forwarding:
      return each_field<mad::MulticastForwardingTable>(visit);
    default:
      return;
  }
}

}  // namespace

bool set_field(mad::AttrId attribute, mad::AttrData& data, std::string_view field, std::uint64_t value) {
  bool found = false;
  each_field_of(attribute, [&](const std::string& name, std::size_t first, std::size_t bits) {
    if (name != field) return;
    found = true;
    put_bits(std::span<std::uint8_t>(data), first, bits, value);
  });
  return found;
}

std::optional<std::uint64_t> largest_value(mad::AttrId attribute, std::string_view field) {
  std::optional<std::uint64_t> largest;
  each_field_of(attribute, [&](const std::string& name, std::size_t, std::size_t bits) {
    if (name == field) largest = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  });
  return largest;
}

std::vector<std::string> field_names(mad::AttrId attribute) {
  std::vector<std::string> names;
  each_field_of(attribute, [&](const std::string& name, std::size_t, std::size_t) { names.push_back(name); });
  return names;
}

}  // namespace weft::sim
