#pragma once
// Types of fields that partitions and quality of service share.

#include <cstdint>

#include "config/types.h"

namespace weft::config {

/// Bytes to the MTU's code.
Type<int> mtu_type();
/// "100G", as one of the rates that InfiniBand has; Gb/s * 10.
Type<int> rate_type();
Type<std::uint64_t> number64(std::uint64_t most);

}  // namespace weft::config
