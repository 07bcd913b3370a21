#include "sa/components.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

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

/// Each bit of each mask compares what its component says, and nothing else.
TEST(Components, OfEveryRecordAreComparedEach) {
  const std::array<Components, 15> all = {
      kNodeRecord,      kPortInfoRecord,      kSwitchInfoRecord, kSlToVlRecord,  kLftRecord,
      kMftRecord,       kVlArbitrationRecord, kSmInfoRecord,     kLinkRecord,    kGuidInfoRecord,
      kPkeyTableRecord, kInformInfoRecord,    kMcMemberRecord,   kServiceRecord, Components{}};
  for (const Components components : all)
    for (std::size_t number = 0; number < components.size(); ++number) {
      const Component part = components[number];
      std::vector<std::uint8_t> record(200);
      std::vector<std::uint8_t> query(200);
      const std::uint64_t mask = std::uint64_t{1} << number;
      for (std::size_t at = 0; at < record.size() * 8; ++at) {
        query[at / 8] = static_cast<std::uint8_t>(0x80 >> at % 8);
        const bool within = at >= part.first && at < std::size_t{part.first} + part.bits;
        ASSERT_EQ(matches(record, query, mask, components), !within) << number << " at " << at;
        query[at / 8] = 0;
      }
    }
}

TEST(Components, LieWithinTheirRecords) {
  const auto fits = [](Components components, std::size_t bytes) {
    for (const Component part : components)
      if (part.first + part.bits > bytes * 8) return false;
    return true;
  };
  EXPECT_TRUE(fits(kNodeRecord, 108));
  EXPECT_TRUE(fits(kPortInfoRecord, 68));
  EXPECT_TRUE(fits(kSwitchInfoRecord, 24));
  EXPECT_TRUE(fits(kSmInfoRecord, 25));
  EXPECT_TRUE(fits(kGuidInfoRecord, 72));
  EXPECT_TRUE(fits(kInformInfoRecord, 60));
  EXPECT_TRUE(fits(kMcMemberRecord, 52));
  EXPECT_TRUE(fits(kServiceRecord, 176));
}

}  // namespace
}  // namespace weft::sa
