#include "base/words.h"

#include <gtest/gtest.h>

namespace weft::inline base {
namespace {

TEST(GlobMatches, KnowsStarsAndQuestionMarks) {
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_TRUE(glob_matches("leaf-*", "LEAF-12"));
  EXPECT_TRUE(glob_matches("*1*2", "a1b1c2"));
  EXPECT_TRUE(glob_matches("l??f", "leaf"));
  EXPECT_FALSE(glob_matches("l?f", "leaf"));
  EXPECT_FALSE(glob_matches("", "x"));
  EXPECT_FALSE(glob_matches("leaf", "leaf-1"));
}

TEST(EditDistance, CountsInsertedDroppedChangedAndSwappedLetters) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("interval", "intervall"), 1u);
  EXPECT_EQ(edit_distance("interval", "intreval"), 1u);
  EXPECT_EQ(edit_distance("sweep", "swap"), 2u);
}

TEST(Nearest, AnswersNothingWhenNothingIsNear) {
  const std::vector<std::string> words{"umad", "ibsim", "sim"};
  EXPECT_EQ(nearest("umda", words), "umad");
  EXPECT_EQ(nearest("ethernet", words), "");
  EXPECT_EQ(nearest(std::string(100'000, 'x'), words), "");
}

TEST(Counted, TakesTheRightEnding) {
  EXPECT_EQ(counted(1, "link"), "1 link");
  EXPECT_EQ(counted(0, "switch"), "0 switches");
  EXPECT_EQ(counted(2, "router"), "2 routers");
}

}  // namespace
}  // namespace weft::inline base
