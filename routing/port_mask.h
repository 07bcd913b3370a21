#pragma once
// PortMask: a set of a switch's ports.

#include <array>
#include <bit>
#include <cstdint>

namespace weft::routing {

using PortMask = std::array<std::uint64_t, 4>;  ///< Bit p: port p.

inline void add_port(PortMask& mask, std::uint8_t port) { mask[port / 64] |= std::uint64_t{1} << port % 64; }
inline bool has_port(const PortMask& mask, std::uint8_t port) {
  return (mask[port / 64] >> port % 64 & 1) != 0;
}
inline int port_count(const PortMask& mask) {
  int count = 0;
  for (const std::uint64_t word : mask) count += std::popcount(word);
  return count;
}
/// By rising port.
template <typename Use>
void each_port(const PortMask& mask, Use&& use) {
  for (std::uint32_t w = 0; w < mask.size(); ++w)
    for (std::uint64_t bits = mask[w]; bits != 0; bits &= bits - 1)
      use(static_cast<std::uint8_t>(w * 64 + static_cast<std::uint32_t>(std::countr_zero(bits))));
}

}  // namespace weft::routing
