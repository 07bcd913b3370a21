#include "sa/components.h"

#include <algorithm>
#include <bit>

#include "base/bytes.h"

namespace weft::sa {

bool matches(std::span<const std::uint8_t> record, std::span<const std::uint8_t> query, std::uint64_t mask,
             Components components) {
  for (; mask != 0; mask &= mask - 1) {
    const auto number = static_cast<std::size_t>(std::countr_zero(mask));
    if (number >= components.size()) return true;  // and all that follow
    const Component part = components[number];
    for (std::size_t done = 0; done < part.bits; done += 64) {
      const std::size_t take = std::min<std::size_t>(64, part.bits - done);
      if (get_bits(record, part.first + done, take) != get_bits(query, part.first + done, take)) return false;
    }
  }
  return true;
}

}  // namespace weft::sa
