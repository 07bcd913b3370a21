#include "partitions/pkey.h"

#include <gtest/gtest.h>

namespace weft::partitions {
namespace {

constexpr Pkey kFull{0x8001};
constexpr Pkey kLimited{0x0001};

TEST(IsFull, LooksAtTheTopBitAlone) {
  EXPECT_TRUE(is_full(kDefaultPkey));
  EXPECT_TRUE(is_full(Pkey{0x8000}));
  EXPECT_FALSE(is_full(Pkey{0x7fff}));
}

TEST(PartitionOf, LeavesMembershipOut) { EXPECT_EQ(partition_of(kFull), partition_of(kLimited)); }

TEST(IsValid, RefusesTheEmptyEntries) {
  EXPECT_FALSE(is_valid(Pkey{0x0000}));
  EXPECT_FALSE(is_valid(Pkey{0x8000}));
  EXPECT_TRUE(is_valid(kLimited));
  EXPECT_TRUE(is_valid(kDefaultPkey));
}

TEST(MayTalk, NeedsOneFullMember) {
  EXPECT_TRUE(may_talk(kFull, kFull));
  EXPECT_TRUE(may_talk(kFull, kLimited));
  EXPECT_TRUE(may_talk(kLimited, kFull));
  EXPECT_FALSE(may_talk(kLimited, kLimited));
}

TEST(MayTalk, KeepsPartitionsApart) { EXPECT_FALSE(may_talk(kFull, Pkey{0x8002})); }

TEST(MayTalk, CountsEmptyEntriesAsNoKey) {
  EXPECT_FALSE(may_talk(Pkey{0x8000}, Pkey{0x8000}));
  EXPECT_FALSE(may_talk(Pkey{0x0000}, Pkey{0x8000}));
}

}  // namespace
}  // namespace weft::partitions
