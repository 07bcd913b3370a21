#include "base/rate.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Rate, IsTheLinksNominalSpeed) {
  EXPECT_EQ(rate_of(LinkWidth::x4, LinkSpeed::sdr), 3);   // 10
  EXPECT_EQ(rate_of(LinkWidth::x4, LinkSpeed::qdr), 7);   // 40
  EXPECT_EQ(rate_of(LinkWidth::x4, LinkSpeed::fdr), 12);  // 56
  EXPECT_EQ(rate_of(LinkWidth::x4, LinkSpeed::edr), 16);  // 100
  EXPECT_EQ(rate_of(LinkWidth::x4, LinkSpeed::hdr), 17);  // 200
  EXPECT_EQ(rate_of(LinkWidth::x4, LinkSpeed::ndr), 21);  // 400
  EXPECT_EQ(rate_of(LinkWidth::x4, LinkSpeed::xdr), 23);  // 800
  EXPECT_EQ(rate_of(LinkWidth::x2, LinkSpeed::hdr), 16);  // 100
  EXPECT_EQ(rate_of(LinkWidth::x1, LinkSpeed::sdr), 2);   // 2.5
  EXPECT_EQ(rate_of(LinkWidth::none, LinkSpeed::none), 0);
}

TEST(Rate, IsComparedBySpeedNotByCode) {
  EXPECT_LT(rate_speed(11), rate_speed(10)) << "14 Gb/s is code 11, 120 Gb/s code 10";
  EXPECT_GT(rate_speed(21), rate_speed(10));
  EXPECT_EQ(rate_below(3), 5) << "below 10 Gb/s: 5";
  EXPECT_EQ(rate_below(2), 0);
  for (const int code : {0, 1, 26, 63}) EXPECT_EQ(rate_speed(static_cast<std::uint8_t>(code)), 0);
}

TEST(Rate, ReadsWhatPeopleSay) {
  EXPECT_EQ(rate_speed_from("100G"), 1000);
  EXPECT_EQ(rate_speed_from("2.5G"), 25);
  EXPECT_EQ(rate_speed_from("400g"), 4000);
  for (const char* text : {"", "G", "100", "-1G", "0G", "nanG", "1e9G", "10 G", "10Gb"})
    EXPECT_EQ(rate_speed_from(text), std::nullopt) << text;
  for (const int speed : {25, 100, 560, 1120, 16000})
    EXPECT_EQ(rate_speed_from(rate_speed_text(speed)), speed);
}

}  // namespace
}  // namespace weft
