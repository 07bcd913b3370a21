#pragma once
// The numbers InfiniBand gives to things, each a type of its own so that none is taken for another.
// Text forms: a GUID as 0x%016x, LIDs and ports in decimal, P_Keys as 0x%04x.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace weft::inline base {

enum class Guid : std::uint64_t {};  ///< EUI-64 of a node, port or system; 0 is "none".
enum class Lid : std::uint16_t {
};  ///< 0 none, 1..0xbfff unicast, 0xc000..0xfffe multicast, 0xffff permissive.
enum class PortNum : std::uint8_t {};    ///< 0 is a switch's management port; 255 in an LFT is "drop".
enum class Pkey : std::uint16_t {};      ///< Bit 15: full member.
enum class Sl : std::uint8_t {};         ///< Service level 0..15.
enum class Vl : std::uint8_t {};         ///< Virtual lane 0..14, 15 for management.
enum class NodeId : std::uint32_t {};    ///< Dense index of a node in a Fabric, in GUID order.
enum class SwitchId : std::uint32_t {};  ///< Dense index of a switch in a Fabric, in GUID order.

/// The number inside an id.
template <typename E>
  requires std::is_enum_v<E>
constexpr auto raw(E id) {
  return static_cast<std::underlying_type_t<E>>(id);
}

inline constexpr Lid kLidNone{0};
inline constexpr Lid kLidFirst{1};
inline constexpr Lid kLidLastUnicast{0xbfff};
inline constexpr Lid kLidPermissive{0xffff};
inline constexpr PortNum kPortDrop{255};
inline constexpr int kMaxPorts = 254;  ///< Highest external port number a switch can have.

constexpr bool is_unicast(Lid lid) { return lid >= kLidFirst && lid <= kLidLastUnicast; }

/// "0x0002c90300fe1234".
std::string to_string(Guid guid);
/// "17".
std::string to_string(Lid lid);
/// "3".
std::string to_string(PortNum port);
/// "0x8001".
std::string to_string(Pkey pkey);

/// Reads "0x" and 1 to 16 digits, 16 digits alone, or "0002:c903:00fe:1234". Nothing for anything else, and
/// for 0.
std::optional<Guid> guid_from(std::string_view text);

}  // namespace weft::inline base
