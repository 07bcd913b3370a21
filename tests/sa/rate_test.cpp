#include "sa/rate.h"

#include <gtest/gtest.h>

namespace weft::sa {
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

TEST(PickMtu, TakesWhatThePathAllows) {
  EXPECT_EQ(pick_mtu(Selector::exactly, 5, 4).value, std::nullopt);
  EXPECT_EQ(pick_mtu(Selector::greater, 1, 4).value, 4);
  EXPECT_EQ(pick_mtu(Selector::less, 1, 4).value, std::nullopt);
  EXPECT_EQ(pick_mtu(Selector::less, 4, 4).value, 3);
  EXPECT_EQ(pick_mtu(Selector::less, 5, 4).value, 4);
  EXPECT_EQ(pick_mtu(Selector::exactly, 1, 4).value, 1);
  EXPECT_EQ(pick_mtu(Selector::best, 0, 4).value, 4);
  EXPECT_TRUE(pick_mtu(Selector::exactly, 9, 4).invalid);
}

TEST(PickRate, TakesWhatThePathAllows) {
  EXPECT_EQ(pick_rate(Selector::less, 2, 3).value, std::nullopt);
  EXPECT_EQ(pick_rate(Selector::less, 3, 3).value, 5);
  EXPECT_EQ(pick_rate(Selector::less, 6, 3).value, 3);
  EXPECT_EQ(pick_rate(Selector::exactly, 2, 3).value, std::nullopt);
  EXPECT_EQ(pick_rate(Selector::greater, 3, 3).value, std::nullopt);
  EXPECT_TRUE(pick_rate(Selector::exactly, 63, 3).invalid);
}

TEST(PickLifetime, TakesAnythingUpToThePaths) {
  EXPECT_EQ(pick_lifetime(Selector::greater, 18, 18).value, std::nullopt);
  EXPECT_EQ(pick_lifetime(Selector::greater, 10, 18).value, 18);
  EXPECT_EQ(pick_lifetime(Selector::less, 18, 18).value, 17);
  EXPECT_EQ(pick_lifetime(Selector::less, 1, 18).value, std::nullopt);
  EXPECT_EQ(pick_lifetime(Selector::exactly, 10, 18).value, 10);
  EXPECT_EQ(pick_lifetime(Selector::exactly, 20, 18).value, std::nullopt);
}

}  // namespace
}  // namespace weft::sa
