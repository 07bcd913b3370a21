#pragma once
// Gid: the 128-bit name of an end port or multicast group: prefix and interface id. Source: IBTA vol.
// 1, 4.1.1.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"

namespace weft::inline base {

/// [0] prefix, [1] interface id; both in host order, so that comparing is ordering.
using Gid = std::array<std::uint64_t, 2>;

inline constexpr std::uint64_t kLinkLocalPrefix = 0xfe80000000000000;

constexpr bool is_multicast(const Gid& gid) { return gid[0] >> 56 == 0xff; }
constexpr Guid interface_of(const Gid& gid) { return static_cast<Guid>(gid[1]); }
/// "fe80:0000:0000:0000:0002:c903:00fe:1234".
std::string to_string(const Gid& gid);
/// As an IPv6 address is written: "ff12:401b:ffff::ffff:ffff". Nothing for other texts.
std::optional<Gid> gid_from(std::string_view text);

}  // namespace weft::inline base
