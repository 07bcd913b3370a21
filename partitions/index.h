#pragma once
// Where in a P_Key table a key stands.

#include <cstddef>
#include <optional>
#include <set>
#include <span>

#include "partitions/tables.h"

namespace weft::partitions {

/// `keys` in a table of `capacity` entries: those that `held` has stay where they are, the default key takes
/// index 0 if that is free, the others the lowest free ones. A key of a partition in `index0` (15 bits)
/// stands at 0; what stood there moves. No trailing empty entries. There must be room.
Keys placed(std::span<const Pkey> keys, std::span<const Pkey> held, const std::set<std::uint16_t>& index0,
            std::size_t capacity);

}  // namespace weft::partitions
