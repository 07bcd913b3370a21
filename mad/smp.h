#pragma once
// Smp: a subnet management packet, directed-route or LID-routed, with its fields in host order.
// Source: IBTA vol. 1, 14.2.1. Only pure directed routes are made: DrSLID and DrDLID permissive at both ends.

#include <array>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "mad/directed_route.h"
#include "mad/mad.h"

namespace weft::mad {

/// The 64 bytes of an attribute as they travel.
using AttrData = std::array<std::uint8_t, kSmpDataSize>;

struct Smp {
  Method method = Method::get;
  AttrId attribute = AttrId::none;
  std::uint32_t modifier = 0;
  std::uint64_t m_key = 0;
  std::uint16_t status = 0;  ///< Without the direction bit.
  std::uint64_t tid = 0;     ///< Given by the transport.
  /// The way to go; nothing for a LID-routed packet, which goes to address.lid.
  std::optional<DirectedRoute> route = DirectedRoute{};
  Address address;
  bool returning = false;  ///< Direction bit of a directed route: on its way back.
  AttrData data{};
};

/// The packet as bytes.
Mad to_mad(const Smp& smp);
/// Errors: `malformed` for a class that is not subnet management, or a hop count above 63.
Result<Smp> to_smp(const Mad& mad);

/// An attribute as the 64 bytes of an SMP, all other bits zero.
template <typename S>
AttrData encode(const S& attribute) {
  static_assert(layout_bytes<S>() <= kSmpDataSize);
  AttrData data{};
  encode_into(std::span<std::uint8_t>(data), attribute);
  return data;
}

/// "Get PortInfo modifier 0x80000003 by 0,1,19".
std::string describe(const Smp& smp);
/// "status 0x001c (field or modifier has an invalid value)".
std::string describe_status(std::uint16_t status);

}  // namespace weft::mad
