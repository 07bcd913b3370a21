#include "base/result.h"

#include <memory>
#include <set>

#include <gtest/gtest.h>

namespace weft {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return fail(Errc::invalid, "{} is odd", number);
  return number / 2;
}

Result<std::string> half_in_words(int number) {
  const Result<int> result = half(number);
  if (!result) return fail(result.error());
  return std::to_string(*result);
}

Result<void> check(int number) {
  if (const Result<int> result = half(number); !result) return fail(result.error());
  return {};
}

TEST(Result, HoldsAValue) {
  const Result<int> four = half(8);
  ASSERT_TRUE(four.has_value());
  EXPECT_EQ(*four, 4);
}

TEST(Result, HoldsACodeAndWords) {
  const Result<int> none = half(7);
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error(), (Error{Errc::invalid, "7 is odd"}));
}

TEST(Result, HandsItsErrorOnToAnotherType) {
  EXPECT_EQ(half_in_words(7).error().what, "7 is odd");
  EXPECT_EQ(half_in_words(6).value(), "3");
}

TEST(Result, OfNothingIsDoneOrFailed) {
  EXPECT_TRUE(check(2).has_value());
  EXPECT_EQ(check(3).error().code, Errc::invalid);
}

TEST(Result, HoldsWhatCanOnlyBeMoved) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  const std::unique_ptr<int> taken = std::move(*result);
  EXPECT_EQ(*taken, 5);
}

TEST(ErrcNames, AreAllDifferent) {
  std::set<std::string_view> names;
  for (int code = 0; code <= static_cast<int>(Errc::system); ++code)
    names.insert(name(static_cast<Errc>(code)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(Errc::system) + 1);
  EXPECT_FALSE(names.contains("?"));
}

}  // namespace
}  // namespace weft
