#include "base/link.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr LinkSpeed kSpeeds[] = {LinkSpeed::sdr,   LinkSpeed::ddr, LinkSpeed::qdr,
                                 LinkSpeed::fdr10, LinkSpeed::fdr, LinkSpeed::edr,
                                 LinkSpeed::hdr,   LinkSpeed::ndr, LinkSpeed::xdr};
constexpr LinkWidth kWidths[] = {LinkWidth::x1, LinkWidth::x2, LinkWidth::x4, LinkWidth::x8, LinkWidth::x12};

TEST(LinkSpeedNames, AreReadBackInUpperAndLowerCase) {
  for (const LinkSpeed speed : kSpeeds) {
    EXPECT_EQ(link_speed_from(name(speed)), speed);
    std::string lower(name(speed));
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    EXPECT_EQ(link_speed_from(lower), speed);
  }
  for (const char* text : {"", "none", "FDR1", "XDRX", "4x"})
    EXPECT_EQ(link_speed_from(text), std::nullopt) << text;
}

TEST(LinkSpeedOrder, IsTheOrderOfRates) {
  int last = 0;
  for (const LinkSpeed speed : kSpeeds) {
    EXPECT_GT(lane_mbps(speed), last) << name(speed);
    last = lane_mbps(speed);
  }
  EXPECT_EQ(lane_mbps(LinkSpeed::none), 0);
  EXPECT_EQ(lane_mbps(LinkSpeed::sdr), 2500);
  EXPECT_EQ(lane_mbps(LinkSpeed::xdr), 212500);
}

TEST(LinkWidthNames, AreReadBackInUpperAndLowerCase) {
  for (const LinkWidth width : kWidths) {
    EXPECT_EQ(link_width_from(name(width)), width);
    EXPECT_EQ(link_width_from(std::to_string(lanes(width)) + "X"), width);
  }
  for (const char* text : {"", "x", "X", "none", "3x", "12", "x4"})
    EXPECT_EQ(link_width_from(text), std::nullopt) << text;
}

TEST(Mtu, GoesFromBytesToCodeAndBack) {
  for (const int size : {256, 512, 1024, 2048, 4096}) {
    const std::optional<Mtu> mtu = mtu_from_bytes(size);
    ASSERT_TRUE(mtu.has_value());
    EXPECT_EQ(bytes(*mtu), size);
  }
  for (const int size : {0, -1, 128, 1500, 8192}) EXPECT_EQ(mtu_from_bytes(size), std::nullopt) << size;
}

TEST(Codes, OutsideTheStandardAreWorthNothing) {
  EXPECT_EQ(bytes(Mtu::none), 0);
  EXPECT_EQ(bytes(static_cast<Mtu>(15)), 0);
  EXPECT_EQ(lanes(VlCount::none), 0);
  EXPECT_EQ(lanes(static_cast<VlCount>(15)), 0);
  EXPECT_EQ(lanes(LinkWidth::none), 0);
  EXPECT_EQ(lanes(static_cast<LinkWidth>(3)), 0);
}

TEST(VlCount, CountsDataLanes) {
  EXPECT_EQ(lanes(VlCount::vl1), 1);
  EXPECT_EQ(lanes(VlCount::vl2), 2);
  EXPECT_EQ(lanes(VlCount::vl4), 4);
  EXPECT_EQ(lanes(VlCount::vl8), 8);
  EXPECT_EQ(lanes(VlCount::vl15), 15);
}

TEST(Names, AnswerAnyCode) {
  for (int code = 0; code < 256; ++code) {
    EXPECT_FALSE(name(static_cast<NodeType>(code)).empty());
    EXPECT_FALSE(name(static_cast<PortState>(code)).empty());
    EXPECT_FALSE(name(static_cast<PhysState>(code)).empty());
    EXPECT_FALSE(name(static_cast<LinkWidth>(code)).empty());
    EXPECT_FALSE(name(static_cast<LinkSpeed>(code)).empty());
  }
  EXPECT_EQ(name(NodeType::switch_), "switch");
  EXPECT_EQ(name(PortState::active), "active");
  EXPECT_EQ(name(PhysState::link_up), "link up");
}

}  // namespace
}  // namespace weft
