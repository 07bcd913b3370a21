#pragma once
// Big-endian numbers in MADs, for a library that has no other beside it.

#include <cstddef>
#include <cstdint>

namespace weft::run {

inline std::uint64_t number_at(const std::uint8_t* bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value = value << 8 | bytes[at + i];
  return value;
}
inline void put_number(std::uint8_t* bytes, std::size_t at, std::size_t size, std::uint64_t value) {
  for (std::size_t i = size; i > 0; --i) {
    bytes[at + i - 1] = static_cast<std::uint8_t>(value);
    value >>= 8;
  }
}

inline constexpr std::size_t kMadSize = 256;

inline std::uint8_t class_of(const std::uint8_t* mad) { return mad[1]; }
inline std::uint8_t method_of(const std::uint8_t* mad) { return mad[3]; }
inline std::uint64_t tid_of(const std::uint8_t* mad) { return number_at(mad, 8, 8); }
/// TrapRepress answers a trap, though it has no R bit.
inline bool is_answer(const std::uint8_t* mad) {
  return (method_of(mad) & 0x80) != 0 || method_of(mad) == 0x07;
}

}  // namespace weft::run
