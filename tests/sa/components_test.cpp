#include "sa/components.h"

#include <gtest/gtest.h>

#include <array>

namespace weft::sa {
namespace {

TEST(Components, AreComparedOneByOne) {
  std::array<std::uint8_t, 112> record{};
  std::array<std::uint8_t, 112> query{};
  record[6] = 2;  // NodeType
  EXPECT_TRUE(matches(record, query, 0, kNodeRecord));
  EXPECT_FALSE(matches(record, query, bit(4), kNodeRecord));
  query[6] = 2;
  EXPECT_TRUE(matches(record, query, bit(4), kNodeRecord));
  query[107] = 1;  // the last byte of the description
  EXPECT_TRUE(matches(record, query, bit(4), kNodeRecord));
  EXPECT_FALSE(matches(record, query, bit(4) | bit(14), kNodeRecord));
}

TEST(Components, ThatNobodyKnowsAreIgnored) {
  std::array<std::uint8_t, 112> record{};
  std::array<std::uint8_t, 112> query{};
  query.fill(0xff);
  EXPECT_TRUE(matches(record, query, bit(40) | bit(63), kNodeRecord));
  EXPECT_TRUE(matches(record, query, bit(1), kNodeRecord)) << "reserved";
}

TEST(Components, LieWithinTheirRecords) {
  const auto fits = [](Components components, std::size_t bytes) {
    for (const Component part : components)
      if (part.first + part.bits > bytes * 8) return false;
    return true;
  };
  EXPECT_TRUE(fits(kNodeRecord, 108));
  EXPECT_TRUE(fits(kPortInfoRecord, 68));
  EXPECT_TRUE(fits(kSmInfoRecord, 25));
  EXPECT_TRUE(fits(kGuidInfoRecord, 72));
  EXPECT_TRUE(fits(kInformInfoRecord, 60));
  EXPECT_TRUE(fits(kMcMemberRecord, 52));
  EXPECT_TRUE(fits(kServiceRecord, 176));
}

}  // namespace
}  // namespace weft::sa
