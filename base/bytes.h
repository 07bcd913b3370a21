#pragma once
// Big-endian numbers and bit fields in byte strings: the wire order of InfiniBand. Bit 0 is the most
// significant bit of byte 0, as the standard draws it.

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace weft::inline base {

/// Reads `bits` (1..64) bits that start at bit `first`.
constexpr std::uint64_t get_bits(std::span<const std::uint8_t> bytes, std::size_t first, std::size_t bits) {
  assert(bits >= 1 && bits <= 64 && first + bits <= bytes.size() * 8);
  std::uint64_t value = 0;
  std::size_t at = first;
  std::size_t left = bits;
  while (left > 0) {
    const std::size_t room = 8 - at % 8;
    const std::size_t take = left < room ? left : room;
    const unsigned chunk = (bytes[at / 8] >> (room - take)) & ((1u << take) - 1u);
    value = value << take | chunk;
    at += take;
    left -= take;
  }
  return value;
}

/// Writes the low `bits` (1..64) bits of `value` from bit `first` on; other bits keep their value.
constexpr void put_bits(std::span<std::uint8_t> bytes, std::size_t first, std::size_t bits,
                        std::uint64_t value) {
  assert(bits >= 1 && bits <= 64 && first + bits <= bytes.size() * 8);
  std::size_t end = first + bits;
  std::size_t left = bits;
  while (left > 0) {
    const std::size_t low = (8 - end % 8) % 8;  // bits of this byte below the field
    const std::size_t room = 8 - low;
    const std::size_t take = left < room ? left : room;
    const unsigned mask = ((1u << take) - 1u) << low;
    std::uint8_t& byte = bytes[(end - 1) / 8];
    byte = static_cast<std::uint8_t>((byte & ~mask) | ((static_cast<unsigned>(value) << low) & mask));
    value >>= take;
    end -= take;
    left -= take;
  }
}

/// "0a ff 00".
std::string hex(std::span<const std::uint8_t> bytes);

}  // namespace weft::inline base
