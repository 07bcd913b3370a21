#include "partitions/groups.h"

#include <gtest/gtest.h>

namespace weft::partitions {
namespace {

TEST(Groups, OfIpoibNameTheirPartition) {
  std::vector<std::string> notes;
  const Partition one{.name = "a", .ipoib = true};
  const auto groups = groups_of(one, 0x10, notes);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(weft::to_string(groups[0].mgid), "ff12:401b:8010:0000:0000:0000:ffff:ffff");
  EXPECT_EQ(groups[0].pkey, Pkey{0x8010});
}

TEST(Groups, ThereIsOneForEachScope) {
  std::vector<std::string> notes;
  const Partition one{
      .name = "a", .ipoib = true, .broadcast = {{.scope = 2}, {.mtu = Mtu::mtu4096, .scope = 5}}};
  const auto groups = groups_of(one, 0x10, notes);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(weft::to_string(groups[1].mgid).substr(0, 4), "ff15");
  EXPECT_EQ(groups[1].options.mtu, Mtu::mtu4096);
}

TEST(Groups, OthersFollowTheBroadcastGroupAndThePartition) {
  std::vector<std::string> notes;
  Partition one{.name = "a", .ipoib = true, .broadcast = {{.rate = 1000, .sl = Sl{3}}}};
  one.groups = {{*gid_from("ff12:401b::1"), {.sl = Sl{1}}},
                {*gid_from("ff12:601b:10::2"), {}},
                {*gid_from("ff12:401b:8020::3"), {}},
                {*gid_from("ff12:a01b::4"), {}}};
  const auto groups = groups_of(one, 0x10, notes);
  ASSERT_EQ(groups.size(), 4u);
  EXPECT_EQ(weft::to_string(groups[1].mgid), "ff12:401b:8010:0000:0000:0000:0000:0001");
  EXPECT_EQ(groups[1].options.rate, 1000);
  EXPECT_EQ(groups[1].options.sl, Sl{1});
  EXPECT_EQ(weft::to_string(groups[2].mgid).substr(0, 14), "ff12:601b:0010")
      << "limited or full, it is the same partition";
  EXPECT_EQ(weft::to_string(groups[3].mgid).substr(0, 14), "ff12:a01b:0000") << "no IP group: left as it is";
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("names P_Key 0x8020; it is left out"), std::string::npos) << notes[0];
}

TEST(Groups, FollowTheLevelOfTheBroadcastGroupUnlessTheyHaveAnSl) {
  std::vector<std::string> notes;
  Partition one{.name = "a", .ipoib = true, .broadcast = {{.level = "storage"}}};
  one.groups = {{*gid_from("ff12:a01b::1"), {}},
                {*gid_from("ff12:a01b::2"), {.sl = Sl{1}}},
                {*gid_from("ff12:a01b::3"), {.level = "bulk"}}};
  const auto groups = groups_of(one, 0x10, notes);
  ASSERT_EQ(groups.size(), 4u);
  EXPECT_EQ(groups[1].options.level, "storage");
  EXPECT_EQ(groups[2].options.level, "");
  EXPECT_EQ(groups[3].options.level, "bulk");
}

TEST(Groups, ThereAreNoneWithoutBeingAskedFor) {
  std::vector<std::string> notes;
  EXPECT_TRUE(groups_of({.name = "a", .broadcast = {{.scope = 5}}}, 0x10, notes).empty());
}

}  // namespace
}  // namespace weft::partitions
