#include "base/gid.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Gid, IsReadAsAnIpv6AddressAndWrittenInFull) {
  const auto gid = gid_from("ff12:401b:ffff::ffff:ffff");
  ASSERT_TRUE(gid);
  EXPECT_EQ((*gid)[0], 0xff12401bffff0000u);
  EXPECT_EQ((*gid)[1], 0x00000000ffffffffu);
  EXPECT_EQ(to_string(*gid), "ff12:401b:ffff:0000:0000:0000:ffff:ffff");
  EXPECT_EQ(gid_from(to_string(*gid)), gid);
  EXPECT_TRUE(is_multicast(*gid));
}

TEST(Gid, RefusesWhatIsNone) {
  for (const char* text : {"", "ff12", "10.0.0.1", "ff12:401b:ffff::ffff::ffff", "fe80::g", "fe80::1 "})
    EXPECT_EQ(gid_from(text), std::nullopt) << text;
}

}  // namespace
}  // namespace weft
