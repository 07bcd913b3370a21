#include "sa/rate.h"

#include <gtest/gtest.h>

namespace weft::sa {
namespace {

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
