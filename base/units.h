#pragma once
// Numbers as people write them, with their units, and back. Every reader answers nothing for what it does not
// take; every writer's text is read back as the same value.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace weft::inline base {

/// "10s", "1.5s", "200ms", "5us", "2min", "1h", "1d"; "0" needs no unit.
std::optional<Duration> duration_from(std::string_view text);
/// The shortest without a fraction; wire times (4.096 us * 2^n) in the largest they exceed.
std::string duration_text(Duration duration);

/// "512B", "64KiB", "16MiB", "1GiB", "1TiB" (powers of 1024), "16KB", "16MB", "1GB", "1TB" (of 1000).
std::optional<std::uint64_t> size_from(std::string_view text);
std::string size_text(std::uint64_t bytes);

/// A whole number: decimal, or hexadecimal after 0x.
std::optional<std::uint64_t> number_from(std::string_view text);

/// The first half of a GID: "0xfe80000000000000", "fe80::", "fec0:0:0:1::", "fe80:0:0:0".
std::optional<std::uint64_t> prefix_from(std::string_view text);
std::string prefix_text(std::uint64_t prefix);

/// Time on the wire: 4.096 us * 2^code.
Duration wire_time(int code);
/// The smallest code from 0 to 31 whose time is not shorter; nothing for longer ones.
std::optional<int> wire_code(Duration duration);

/// The text in double quotes with the escapes YAML and JSON share, cut after 60 characters. For messages.
std::string in_quotes(std::string_view text);
/// The text as a YAML value: bare where that is read back as the same text, else in double quotes.
std::string yaml_text(std::string_view text);

}  // namespace weft::inline base
