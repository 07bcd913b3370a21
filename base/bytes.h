#pragma once
// Big-endian numbers and bit fields in byte strings: the wire order of InfiniBand. Bit 0 is the most
// significant bit of byte 0, as the standard draws it.

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace weft::inline base {

namespace detail {

/// Whole bytes, written out so that a compiler makes one load or store of them.
template <std::size_t Count>
constexpr std::uint64_t get_bytes(const std::uint8_t* at) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < Count; ++i) value |= std::uint64_t{at[i]} << (8 * (Count - 1 - i));
  return value;
}
template <std::size_t Count>
constexpr void put_bytes(std::uint8_t* at, std::uint64_t value) {
  for (std::size_t i = 0; i < Count; ++i) at[i] = static_cast<std::uint8_t>(value >> (8 * (Count - 1 - i)));
}

}  // namespace detail

/// Reads `bits` (1..64) bits that start at bit `first`.
constexpr std::uint64_t get_bits(std::span<const std::uint8_t> bytes, std::size_t first, std::size_t bits) {
  assert(bits >= 1 && bits <= 64 && first + bits <= bytes.size() * 8);
  // Nearly all fields are of these kinds; where `first` and `bits` are constants, nothing else is left.
  const std::uint8_t* from = bytes.data() + first / 8;
  if (first % 8 == 0 && bits == 64) return detail::get_bytes<8>(from);
  if (first % 8 == 0 && bits == 32) return detail::get_bytes<4>(from);
  if (first % 8 == 0 && bits == 16) return detail::get_bytes<2>(from);
  if (first % 8 + bits <= 8) return *from >> (8 - first % 8 - bits) & ((1u << bits) - 1u);
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
  std::uint8_t* to = bytes.data() + first / 8;
  if (first % 8 == 0 && bits == 64) return detail::put_bytes<8>(to, value);
  if (first % 8 == 0 && bits == 32) return detail::put_bytes<4>(to, value);
  if (first % 8 == 0 && bits == 16) return detail::put_bytes<2>(to, value);
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
