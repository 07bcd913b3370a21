#include "plan/lid_space.h"

#include <gtest/gtest.h>

namespace weft::plan {
namespace {

TEST(IsLegal, WantsUnicastAndAlignment) {
  EXPECT_TRUE(is_legal({Lid{1}, 0}));
  EXPECT_TRUE(is_legal({Lid{0xbfff}, 0}));
  EXPECT_TRUE(is_legal({Lid{0xbf80}, 7}));
  EXPECT_FALSE(is_legal({Lid{0}, 0}));
  EXPECT_FALSE(is_legal({Lid{0}, 3}));
  EXPECT_FALSE(is_legal({Lid{0xc000}, 0}));
  EXPECT_FALSE(is_legal({Lid{6}, 2}));
  EXPECT_FALSE(is_legal({Lid{256}, 8}));
  EXPECT_FALSE(is_legal({Lid{256}, 255}));
}

TEST(LidSpace, FindsTheLowestAlignedRange) {
  LidSpace space(kLidLastUnicast);
  EXPECT_EQ(space.first_free(0)->base, Lid{1});
  EXPECT_EQ(space.first_free(2)->base, Lid{4});
  space.give({Lid{5}, 0}, 0);
  EXPECT_EQ(space.first_free(2)->base, Lid{8});
  EXPECT_EQ(space.first_free(0)->base, Lid{1});
}

TEST(LidSpace, TellsWhoHoldsPartOfARange) {
  LidSpace space(kLidLastUnicast);
  space.give({Lid{6}, 1}, 42);
  EXPECT_EQ(space.holder(LidRange{Lid{4}, 2}), 42U);
  EXPECT_EQ(space.holder(LidRange{Lid{4}, 1}), LidSpace::kFree);
}

TEST(LidSpace, FindsReleasedRangesAgain) {
  LidSpace space(Lid{3});
  for (std::uint16_t lid = 1; lid <= 3; ++lid) space.give({Lid{lid}, 0}, lid);
  EXPECT_FALSE(space.first_free(0));
  space.release({Lid{2}, 0});
  EXPECT_EQ(space.first_free(0)->base, Lid{2});
}

TEST(LidSpace, EndsAtTheCeiling) {
  LidSpace space(Lid{6});
  EXPECT_EQ(space.first_free(1)->base, Lid{2});
  space.look_from(Lid{5});
  EXPECT_FALSE(space.first_free(1));
  EXPECT_EQ(space.first_free(0)->base, Lid{5});
}

TEST(LidSpace, ReachesTheLastUnicastLid) {
  LidSpace space(kLidLastUnicast);
  space.look_from(Lid{0xbf81});
  EXPECT_FALSE(space.first_free(7));
  space.look_from(Lid{0xbf80});
  EXPECT_EQ(space.first_free(7)->base, Lid{0xbf80});
  space.look_from(kLidLastUnicast);
  EXPECT_EQ(space.first_free(0)->base, kLidLastUnicast);
}

}  // namespace
}  // namespace weft::plan
