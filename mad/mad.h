#pragma once
// Mad: one management datagram of 256 bytes with the address it goes to or came from, and its common header.
// Source: IBTA vol. 1, 13.4.3.

#include <array>
#include <cstdint>

#include "base/ids.h"
#include "mad/attribute_id.h"
#include "mad/layout.h"

namespace weft::mad {

inline constexpr std::size_t kMadSize = 256;
/// Where the attribute of a subnet management packet lies.
inline constexpr std::size_t kSmpDataAt = 64;
inline constexpr std::size_t kSmpDataSize = 64;

/// The far end: destination of what we send, source of what we got.
struct Address {
  Lid lid = kLidPermissive;  ///< Permissive for directed routes.
  std::uint32_t qp = 0;
  Sl sl{};
  std::uint16_t pkey_index = 0;
  bool operator==(const Address&) const = default;
};

struct Mad {
  Address address;
  std::array<std::uint8_t, kMadSize> bytes{};
};

/// The 24 bytes that all MADs share.
struct Header {
  std::uint8_t base_version = 1;
  MgmtClass mgmt_class{};
  std::uint8_t class_version = 1;
  Method method{};
  std::uint16_t status = 0;  ///< Bit 15 is the direction of a directed-route SMP.
  std::uint8_t hop_pointer = 0;
  std::uint8_t hop_count = 0;
  std::uint64_t tid = 0;
  AttrId attribute{};
  std::uint32_t modifier = 0;
  bool operator==(const Header&) const = default;
};
template <>
inline constexpr auto kLayout<Header> = std::tuple{Field{0, 8, &Header::base_version, "BaseVersion"},
                                                   Field{8, 8, &Header::mgmt_class, "MgmtClass"},
                                                   Field{16, 8, &Header::class_version, "ClassVersion"},
                                                   Field{24, 8, &Header::method, "Method"},
                                                   Field{32, 16, &Header::status, "Status"},
                                                   Field{48, 8, &Header::hop_pointer, "HopPointer"},
                                                   Field{56, 8, &Header::hop_count, "HopCount"},
                                                   Field{64, 64, &Header::tid, "TransactionID"},
                                                   Field{128, 16, &Header::attribute, "AttributeID"},
                                                   Field{160, 32, &Header::modifier, "AttributeModifier"}};
static_assert(in_order<Header>());

inline Header header_of(const Mad& mad) { return decode<Header>(mad.bytes); }

/// Cheap looks into a header, for matching answers.
inline Method method_of(const Mad& mad) { return static_cast<Method>(mad.bytes[3]); }
std::uint64_t tid_of(const Mad& mad);
void set_tid(Mad& mad, std::uint64_t tid);

}  // namespace weft::mad
