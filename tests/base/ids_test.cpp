#include "base/ids.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace weft {
namespace {

constexpr Guid kGuid{0x0002c90300fe1234};

TEST(GuidFrom, ReadsAllThreeForms) {
  EXPECT_EQ(guid_from("0x0002c90300fe1234"), kGuid);
  EXPECT_EQ(guid_from("0X0002C90300FE1234"), kGuid);
  EXPECT_EQ(guid_from("0x2c90300fe1234"), kGuid);
  EXPECT_EQ(guid_from("0002c90300fe1234"), kGuid);
  EXPECT_EQ(guid_from("0002C903:00fe:1234"), std::nullopt);
  EXPECT_EQ(guid_from("0002:c903:00fe:1234"), kGuid);
}

TEST(GuidFrom, RefusesWhatIsNoGuid) {
  for (const char* text : {"",
                           "0x",
                           "0x0",
                           "0",
                           "0000000000000000",
                           "0000:0000:0000:0000",
                           "2c90300fe1234",
                           "0002c90300fe12345",
                           "0x0002c90300fe12345",
                           "0x0002c90300fe123g",
                           " 0x0002c90300fe1234",
                           "0x0002c90300fe1234 ",
                           "0002:c903:00fe:1234:",
                           ":0002:c903:00fe:123",
                           "0002::c903:00fe:123",
                           "000:2c903:00fe:1234",
                           "0002:c903:00fe1234",
                           "0x0002:c903:00fe:1234",
                           "0002-c903-00fe-1234",
                           "leaf-12",
                           "0x-1"})
    EXPECT_EQ(guid_from(text), std::nullopt) << text;
}

RC_GTEST_PROP(GuidFrom, ReadsWhatToStringWrites, (std::uint64_t number)) {
  RC_PRE(number != 0);
  RC_ASSERT(guid_from(to_string(Guid{number})) == Guid{number});
}

RC_GTEST_PROP(GuidFrom, TakesAnyText, (const std::string& text)) {
  const std::optional<Guid> guid = guid_from(text);
  RC_ASSERT(!guid || *guid != Guid{});
}

TEST(ToString, WritesEachIdInItsOwnForm) {
  EXPECT_EQ(to_string(kGuid), "0x0002c90300fe1234");
  EXPECT_EQ(to_string(Guid{1}), "0x0000000000000001");
  EXPECT_EQ(to_string(Lid{49151}), "49151");
  EXPECT_EQ(to_string(PortNum{3}), "3");
  EXPECT_EQ(to_string(Pkey{0x8001}), "0x8001");
  EXPECT_EQ(to_string(Pkey{1}), "0x0001");
}

TEST(IsUnicast, EndsAtTheMulticastRange) {
  EXPECT_FALSE(is_unicast(kLidNone));
  EXPECT_TRUE(is_unicast(kLidFirst));
  EXPECT_TRUE(is_unicast(kLidLastUnicast));
  EXPECT_FALSE(is_unicast(Lid{0xc000}));
  EXPECT_FALSE(is_unicast(kLidPermissive));
}

}  // namespace
}  // namespace weft
