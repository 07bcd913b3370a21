#include "base/units.h"

#include <gtest/gtest.h>

namespace weft::inline base {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;

TEST(Durations, TakeEveryUnitAndFractionsThatComeOutWhole) {
  EXPECT_EQ(duration_from("10s"), seconds(10));
  EXPECT_EQ(duration_from("200ms"), milliseconds(200));
  EXPECT_EQ(duration_from("5us"), microseconds(5));
  EXPECT_EQ(duration_from("7ns"), nanoseconds(7));
  EXPECT_EQ(duration_from("2min"), minutes(2));
  EXPECT_EQ(duration_from("1h"), hours(1));
  EXPECT_EQ(duration_from("1d"), hours(24));
  EXPECT_EQ(duration_from("1.5min"), seconds(90));
  EXPECT_EQ(duration_from("4.096us"), nanoseconds(4096));
  EXPECT_EQ(duration_from("10 s"), seconds(10));
  EXPECT_EQ(duration_from("0"), seconds(0));
}

TEST(Durations, RefuseWhatIsNone) {
  for (const char* text : {"", "s", "10", "10x", "-1s", "1.s", ".5s", "1..5s", "1.5ns", "10S", "1e3s",
                           "10  s", "99999999999999999999s", "9223372036855s000"}) {
    EXPECT_FALSE(duration_from(text)) << text;
  }
  EXPECT_FALSE(duration_from("9223372037s"));  // more than 63 bits of nanoseconds
}

TEST(Durations, ShowAsTextThatReadsBack) {
  EXPECT_EQ(duration_text(seconds(10)), "10s");
  EXPECT_EQ(duration_text(milliseconds(1500)), "1500ms");
  EXPECT_EQ(duration_text(minutes(2)), "2min");
  EXPECT_EQ(duration_text(seconds(0)), "0");
  EXPECT_EQ(duration_text(wire_time(18)), "1.073741824s");
  EXPECT_EQ(duration_text(wire_time(16)), "268.435456ms");
  EXPECT_EQ(duration_text(wire_time(0)), "4.096us");
  for (int code = 0; code < 32; ++code)
    EXPECT_EQ(duration_from(duration_text(wire_time(code))), wire_time(code));
}

TEST(Sizes, TellPowersOfTenFromPowersOfTwo) {
  EXPECT_EQ(size_from("16MiB"), 16u << 20);
  EXPECT_EQ(size_from("16MB"), 16'000'000u);
  EXPECT_EQ(size_from("500KB"), 500'000u);
  EXPECT_EQ(size_from("64KiB"), 65536u);
  EXPECT_EQ(size_from("2GiB"), 2ull << 30);
  EXPECT_EQ(size_from("12B"), 12u);
  EXPECT_FALSE(size_from("16"));
  EXPECT_FALSE(size_from("16M"));
  EXPECT_EQ(size_text(16u << 20), "16MiB");
  EXPECT_EQ(size_text(16'000'000), "16MB");
}

TEST(Numbers, AreDecimalOrHexadecimalAndNothingElse) {
  EXPECT_EQ(number_from("17"), 17u);
  EXPECT_EQ(number_from("0x1f"), 31u);
  EXPECT_EQ(number_from("0xffffffffffffffff"), ~std::uint64_t{0});
  for (const char* text : {"", "0x", "1a", "-1", "+1", "1 ", "0x1_0", "18446744073709551616"}) {
    EXPECT_FALSE(number_from(text)) << text;
  }
}

TEST(Prefixes, TakeTheFormsOfAnAddressAndOfANumber) {
  EXPECT_EQ(prefix_from("fe80::"), 0xfe80000000000000u);
  EXPECT_EQ(prefix_from("0xfe80000000000000"), 0xfe80000000000000u);
  EXPECT_EQ(prefix_from("fec0:0:0:1::"), 0xfec0000000000001u);
  EXPECT_EQ(prefix_from("fec0:0:0:1"), 0xfec0000000000001u);
  for (const char* text :
       {"", "::", "fe80", "fe80:", "fe80:::", "fe80::1", "a:b:c:d:e", "a:b:c:d:e::", "fe80g::"}) {
    EXPECT_FALSE(prefix_from(text)) << text;
  }
}

TEST(WireTimes, AreRoundedUp) {
  EXPECT_EQ(wire_code(nanoseconds(1)), 0);
  EXPECT_EQ(wire_code(nanoseconds(4096)), 0);
  EXPECT_EQ(wire_code(nanoseconds(4097)), 1);
  EXPECT_EQ(wire_code(seconds(1)), 18);
  EXPECT_EQ(wire_code(hours(3)), std::nullopt);
}

TEST(Texts, AreQuotedOnlyWhereYamlNeedsIt) {
  EXPECT_EQ(yaml_text("mlx5_0"), "mlx5_0");
  EXPECT_EQ(yaml_text("/run/weft/weftd.sock"), "/run/weft/weftd.sock");
  EXPECT_EQ(yaml_text(""), "\"\"");
  EXPECT_EQ(yaml_text("null"), "\"null\"");
  EXPECT_EQ(yaml_text("leaf 3 \"x\""), "\"leaf 3 \\\"x\\\"\"");
}

TEST(Texts, AreCutBetweenCharactersWhenQuotedInMessages) {
  const std::string text = in_quotes(std::string(59, 'a') + "\xc3\xa4" + "b");
  EXPECT_EQ(text, "\"" + std::string(59, 'a') + "...\"");
}

}  // namespace
}  // namespace weft::inline base
