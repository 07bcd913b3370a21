#pragma once
// Types of fields that partitions and quality of service share.

#include <cstdint>
#include <optional>

#include "config/types.h"
#include "qos/policy.h"

namespace weft::config {

/// Bytes to the MTU's code.
Type<int> mtu_type();
/// "100G", as one of the rates that InfiniBand has; Gb/s * 10.
Type<int> rate_type();
Type<std::uint64_t> number64(std::uint64_t most);
/// The name of a level, which the report remembers.
Type<std::string> level_name();
/// "7", "0x100-0x1ff"; nothing for what is none, or beyond `most`.
std::optional<qos::Range> range_from(std::string_view text, std::uint64_t most);
std::string range_text(const qos::Range& range);

}  // namespace weft::config
