#pragma once
// Layout: how an attribute's fields lie in its bytes. Each attribute is one plain struct and one constexpr
// table of its fields; encode, decode, dump, the comparison with libibmad and the fuzz targets all come from
// the table.
//
// Bits are counted as the standard draws them: bit 0 is the most significant bit of byte 0.

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/ids.h"

namespace weft::mad {

/// One number of `bits` bits from bit `first` on. `name` is the standard's.
template <typename S, typename T>
struct Field {
  std::size_t first;
  std::size_t bits;
  T S::* member;
  std::string_view name;
  constexpr Field(std::size_t first_bit, std::size_t bit_count, T S::* m, std::string_view n)
      : first(first_bit), bits(bit_count), member(m), name(n) {}
  constexpr std::size_t end() const { return first + bits; }
};

/// N numbers of `bits` bits each, one after the other.
template <typename S, typename T, std::size_t N>
struct ArrayField {
  std::size_t first;
  std::size_t bits;
  std::array<T, N> S::* member;
  std::string_view name;
  constexpr ArrayField(std::size_t first_bit, std::size_t bit_count, std::array<T, N> S::* m,
                       std::string_view n)
      : first(first_bit), bits(bit_count), member(m), name(n) {}
  constexpr std::size_t end() const { return first + bits * N; }
};

/// Text of `bits` / 8 bytes, zero padded, not always zero terminated.
template <typename S>
struct TextField {
  std::size_t first;
  std::size_t bits;
  std::string S::* member;
  std::string_view name;
  constexpr TextField(std::size_t first_bit, std::size_t bit_count, std::string S::* m, std::string_view n)
      : first(first_bit), bits(bit_count), member(m), name(n) {}
  constexpr std::size_t end() const { return first + bits; }
};

/// A std::tuple of fields, specialised for every attribute.
template <typename S>
inline constexpr auto kLayout = nullptr;

/// True when the fields of S stand in rising order and do not overlap.
template <typename S>
constexpr bool in_order() {
  std::size_t at = 0;
  return std::apply(
      [&at](const auto&... field) {
        const auto follows = [&at](const auto& f) {
          const bool good = f.first >= at && f.bits >= 1;
          at = f.end();
          return good;
        };
        return (follows(field) && ...);
      },
      kLayout<S>);
}

/// Bytes that the fields of S reach into.
template <typename S>
constexpr std::size_t layout_bytes() {
  return std::apply([](const auto&... field) { return (std::max({field.end()...}) + 7) / 8; }, kLayout<S>);
}

template <typename S>
inline constexpr std::size_t kLayoutBytes = layout_bytes<S>();

namespace detail {

template <typename T>
constexpr std::uint64_t to_bits(T value) {
  return static_cast<std::uint64_t>(value);
}

template <typename S, typename T>
constexpr void put(std::span<std::uint8_t> bytes, const S& s, const Field<S, T>& f) {
  put_bits(bytes, f.first, f.bits, to_bits(s.*f.member));
}
template <typename S, typename T, std::size_t N>
constexpr void put(std::span<std::uint8_t> bytes, const S& s, const ArrayField<S, T, N>& f) {
  for (std::size_t i = 0; i < N; ++i)
    put_bits(bytes, f.first + i * f.bits, f.bits, to_bits((s.*f.member)[i]));
}
template <typename S>
void put(std::span<std::uint8_t> bytes, const S& s, const TextField<S>& f) {
  const std::string& text = s.*f.member;
  for (std::size_t i = 0; i < f.bits / 8; ++i)
    bytes[f.first / 8 + i] = i < text.size() ? static_cast<std::uint8_t>(text[i]) : std::uint8_t{0};
}

template <typename S, typename T>
constexpr void take(std::span<const std::uint8_t> bytes, S& s, const Field<S, T>& f) {
  s.*f.member = static_cast<T>(get_bits(bytes, f.first, f.bits));
}
template <typename S, typename T, std::size_t N>
constexpr void take(std::span<const std::uint8_t> bytes, S& s, const ArrayField<S, T, N>& f) {
  for (std::size_t i = 0; i < N; ++i)
    (s.*f.member)[i] = static_cast<T>(get_bits(bytes, f.first + i * f.bits, f.bits));
}
template <typename S>
void take(std::span<const std::uint8_t> bytes, S& s, const TextField<S>& f) {
  std::string& text = s.*f.member;
  text.clear();
  for (std::size_t i = 0; i < f.bits / 8 && bytes[f.first / 8 + i] != 0; ++i)
    text.push_back(static_cast<char>(bytes[f.first / 8 + i]));
}

template <typename S, typename T>
void show(std::string& out, const S& s, const Field<S, T>& f) {
  const std::uint64_t value = to_bits(s.*f.member);
  if (f.bits > 16)
    fmt::format_to(std::back_inserter(out), "{}: 0x{:0{}x}\n", f.name, value, (f.bits + 3) / 4);
  else
    fmt::format_to(std::back_inserter(out), "{}: {}\n", f.name, value);
}
template <typename S, typename T, std::size_t N>
void show(std::string& out, const S& s, const ArrayField<S, T, N>& f) {
  for (std::size_t i = 0; i < N; ++i)
    if (to_bits((s.*f.member)[i]) != 0)
      fmt::format_to(std::back_inserter(out), "{}[{}]: 0x{:x}\n", f.name, i, to_bits((s.*f.member)[i]));
}
template <typename S>
void show(std::string& out, const S& s, const TextField<S>& f) {
  fmt::format_to(std::back_inserter(out), "{}: {}\n", f.name, s.*f.member);
}

}  // namespace detail

/// Calls `act(field)` for every field of S. Each field is a constant where `act` is inlined, so that its
/// place in the bytes is one too; std::apply would hand references on.
template <typename S, typename Act>
constexpr void each_field(const Act& act) {
  constexpr auto kCount = std::tuple_size_v<std::remove_cvref_t<decltype(kLayout<S>)>>;
  [&act]<std::size_t... I>(std::index_sequence<I...>) {
    (act(std::get<I>(kLayout<S>)), ...);
  }(std::make_index_sequence<kCount>{});
}

/// Writes the fields of `s`; all other bits of `bytes` keep their value. `bytes` must hold layout_bytes<S>().
template <typename S>
void encode_into(std::span<std::uint8_t> bytes, const S& s) {
  assert(bytes.size() >= kLayoutBytes<S>);
  each_field<S>([&](const auto& field) { detail::put(bytes, s, field); });
}

/// Reads the fields; `bytes` must hold layout_bytes<S>(). Any bytes are a value of S; whether they make sense
/// is for the caller to judge.
template <typename S>
S decode(std::span<const std::uint8_t> bytes) {
  assert(bytes.size() >= kLayoutBytes<S>);
  S s;
  each_field<S>([&](const auto& field) { detail::take(bytes, s, field); });
  return s;
}

/// One "Name: value" a line.
template <typename S>
std::string dump(const S& s) {
  std::string out;
  each_field<S>([&](const auto& field) { detail::show(out, s, field); });
  return out;
}

}  // namespace weft::mad
