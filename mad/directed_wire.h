#pragma once
// The part of a directed-route SMP that the nodes on the way read and write: permissive LIDs and the two
// paths. Entry 0 of a path is unused. Source: IBTA vol. 1, 14.2.1.2.

#include <span>

#include "mad/mad.h"

namespace weft::mad {

inline constexpr std::size_t kPathSize = 64;

/// DrSLID and DrDLID both permissive: the whole way is directed.
inline bool is_pure_directed(const Mad& mad) { return get_bits(mad.bytes, 32 * 8, 32) == 0xffffffff; }

inline std::span<std::uint8_t, kPathSize> initial_path(Mad& mad) {
  return std::span<std::uint8_t, kPathSize>(mad.bytes.data() + 128, kPathSize);
}
inline std::span<std::uint8_t, kPathSize> return_path(Mad& mad) {
  return std::span<std::uint8_t, kPathSize>(mad.bytes.data() + 192, kPathSize);
}

}  // namespace weft::mad
