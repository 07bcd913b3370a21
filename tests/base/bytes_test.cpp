#include "base/bytes.h"

#include <array>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace weft {
namespace {

bool slow_bit(const std::vector<std::uint8_t>& bytes, std::size_t at) {
  return (bytes[at / 8] >> (7 - at % 8) & 1) != 0;
}

std::uint64_t slow_get(const std::vector<std::uint8_t>& bytes, std::size_t first, std::size_t bits) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bits; ++i) value = value * 2 + (slow_bit(bytes, first + i) ? 1 : 0);
  return value;
}

std::vector<std::uint8_t> slow_put(std::vector<std::uint8_t> bytes, std::size_t first, std::size_t bits,
                                   std::uint64_t value) {
  for (std::size_t i = 0; i < bits; ++i) {
    const std::size_t at = first + bits - 1 - i;
    const auto mask = static_cast<std::uint8_t>(1u << (7 - at % 8));
    bytes[at / 8] =
        static_cast<std::uint8_t>((value >> i & 1) != 0 ? bytes[at / 8] | mask : bytes[at / 8] & ~mask);
  }
  return bytes;
}

/// Bytes, and a field that fits in them.
struct Sample {
  std::vector<std::uint8_t> bytes =
      *rc::gen::container<std::vector<std::uint8_t>>(24, rc::gen::arbitrary<std::uint8_t>());
  std::size_t bits = *rc::gen::inRange<std::size_t>(1, 65);
  std::size_t first = *rc::gen::inRange<std::size_t>(0, 24 * 8 - bits + 1);
};

RC_GTEST_PROP(GetBits, ReadsWhatOneBitAfterTheOtherReads, ()) {
  const Sample sample;
  RC_ASSERT(get_bits(sample.bytes, sample.first, sample.bits) ==
            slow_get(sample.bytes, sample.first, sample.bits));
}

RC_GTEST_PROP(PutBits, WritesWhatOneBitAfterTheOtherWrites, (std::uint64_t small)) {
  const Sample sample;
  const std::uint64_t value = small * 0x9e3779b97f4a7c15u;  // all bits in use, not only low ones
  std::vector<std::uint8_t> bytes = sample.bytes;
  put_bits(bytes, sample.first, sample.bits, value);
  RC_ASSERT(bytes == slow_put(sample.bytes, sample.first, sample.bits, value));
}

TEST(Bits, AreTheSameOneByOneAtEveryPlaceAndOfEveryLength) {
  std::vector<std::uint8_t> bytes(20);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 0x9d + 0x5b);
  constexpr std::uint64_t kValue = 0xa5f0c3961e7b2d48;
  for (std::size_t bits = 1; bits <= 64; ++bits)
    for (std::size_t first = 0; first + bits <= bytes.size() * 8; ++first) {
      ASSERT_EQ(get_bits(bytes, first, bits), slow_get(bytes, first, bits)) << first << " " << bits;
      std::vector<std::uint8_t> put = bytes;
      put_bits(put, first, bits, kValue);
      ASSERT_EQ(put, slow_put(bytes, first, bits, kValue)) << first << " " << bits;
    }
}

RC_GTEST_PROP(PutBits, IsReadBackByGetBits, (std::uint64_t small)) {
  Sample sample;
  const std::uint64_t value = small * 0x9e3779b97f4a7c15u;
  put_bits(sample.bytes, sample.first, sample.bits, value);
  const std::uint64_t mask = sample.bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << sample.bits) - 1;
  RC_ASSERT(get_bits(sample.bytes, sample.first, sample.bits) == (value & mask));
}

TEST(GetBits, CountsFromTheMostSignificantBitOfByteZero) {
  const std::array<std::uint8_t, 3> bytes{0x80, 0x01, 0xff};
  EXPECT_EQ(get_bits(bytes, 0, 1), 1u);
  EXPECT_EQ(get_bits(bytes, 1, 14), 0u);
  EXPECT_EQ(get_bits(bytes, 15, 2), 3u);
  EXPECT_EQ(get_bits(bytes, 0, 24), 0x8001ffu);
}

TEST(GetBits, WorksAtCompileTime) {
  constexpr std::array<std::uint8_t, 2> kBytes{0x12, 0x34};
  static_assert(get_bits(kBytes, 4, 8) == 0x23);
}

TEST(Hex, WritesBytesApart) {
  EXPECT_EQ(hex(std::array<std::uint8_t, 3>{0x0a, 0xff, 0x00}), "0a ff 00");
  EXPECT_EQ(hex({}), "");
}

}  // namespace
}  // namespace weft
