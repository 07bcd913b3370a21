#include "partitions/tables.h"

#include <gtest/gtest.h>

#include "partitions/pkey.h"

namespace weft::partitions {
namespace {

Keys keys_of(std::initializer_list<int> numbers) {
  Keys keys;
  for (const int number : numbers) keys.push_back(static_cast<Pkey>(number));
  return keys;
}
Keys held(const Tables& tables, std::uint32_t port) {
  return {tables.of(port).begin(), tables.of(port).end()};
}

TEST(Tables, HoldTheDefaultKeyWhereNothingWasSet) {
  Tables tables;
  tables.set(7, keys_of({0x7fff, 0x8001}));
  EXPECT_EQ(held(tables, 3), keys_of({0xffff}));
  EXPECT_EQ(held(tables, 7), keys_of({0x7fff, 0x8001}));
  EXPECT_EQ(held(tables, 1000), keys_of({0xffff}));
}

TEST(Tables, AreEqualWhenEveryPortsTableIs) {
  Tables a;
  Tables b;
  a.set(1, keys_of({1}));
  a.set(2, keys_of({2}));
  b.set(2, keys_of({2}));
  EXPECT_FALSE(a == b);
  b.set(1, keys_of({1}));
  EXPECT_TRUE(a == b);
  b.set(9, keys_of({0xffff}));
  EXPECT_TRUE(a == b);
}

TEST(CommonKey, IsTheAskersOwn) {
  EXPECT_EQ(common_key(keys_of({0xffff, 0x0005}), keys_of({0x8005})), Pkey{0x0005});
  EXPECT_EQ(common_key(keys_of({0x8005}), keys_of({0x0005, 0xffff})), Pkey{0x8005});
}

TEST(CommonKey, PrefersTheDefaultPartitionThenTheLowestIndex) {
  EXPECT_EQ(common_key(keys_of({0x8005, 0x8006, 0x7fff}), keys_of({0x8006, 0x8005, 0xffff})), Pkey{0x7fff});
  EXPECT_EQ(common_key(keys_of({0x8005, 0x8006}), keys_of({0x8006, 0x8005})), Pkey{0x8005});
}

TEST(CommonKey, NeedsAFullMemberOfOnePartition) {
  EXPECT_EQ(common_key(keys_of({0x0005}), keys_of({0x0005})), std::nullopt);
  EXPECT_EQ(common_key(keys_of({0x8005}), keys_of({0x8006})), std::nullopt);
  EXPECT_EQ(common_key(keys_of({0x0000, 0x8000}), keys_of({0x8000, 0x0000})), std::nullopt);
}

TEST(KeyIn, IsTheFullOneOfTwo) {
  EXPECT_EQ(key_in(keys_of({0x0005, 0x8005}), Pkey{5}), Pkey{0x8005});
  EXPECT_EQ(key_in(keys_of({0x8005, 0x0005}), Pkey{5}), Pkey{0x8005});
  EXPECT_EQ(key_in(keys_of({0x0005}), Pkey{0x8005}), Pkey{0x0005});
  EXPECT_EQ(key_in(keys_of({0x8005}), Pkey{6}), std::nullopt);
  EXPECT_EQ(key_in(keys_of({0x8000}), Pkey{0}), std::nullopt);
}

}  // namespace
}  // namespace weft::partitions
