#include "program/held_tables.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "mad/switch_info.h"
#include "plan/held.h"
#include "program/render.h"
#include "tests/support/fabric_of.h"

namespace weft::program {
namespace {

/// A fabric whose switches all hold what is planned, LIDs 0 to 255.
class HeldTables : public testing::Test {
 protected:
  HeldTables() {
    plan_.routing.routes.top = Lid{255};
    for (std::size_t s = 0; s < fabric_.switch_count(); ++s) {
      plan_.routing.routes.switches.push_back(guid(s));
      plan_.routing.routes.lfts.push_back(
          std::make_shared<routing::Lft>(256, static_cast<std::uint8_t>(s % 4 + 1)));
      set_top(s, 255);
      for (std::uint32_t block = 0; block < 4; ++block)
        shadow_.set(guid(s), mad::AttrId::linear_forwarding, block,
                    lft_block(*plan_.routing.routes.lfts[s], block));
    }
  }
  Guid guid(std::size_t s) const { return fabric_.node(static_cast<SwitchId>(s)).guid; }
  void set_top(std::size_t s, std::uint16_t top) {
    mad::SwitchInfo info;
    info.lft_capacity = 49151;
    info.lft_top = Lid{top};
    shadow_.set(guid(s), mad::AttrId::switch_info, 0, mad::encode(info));
  }

  fabric::Fabric fabric_ = test::fabric_of("fat-tree:radix=4,levels=2");
  plan::Plan plan_;
  mad::Shadow shadow_;
};

TEST_F(HeldTables, AreThePlannedRowsWhereTheyHoldThem) {
  const program::HeldTables held = held_tables(fabric_, plan_, shadow_);
  EXPECT_TRUE(held.unknown.empty());
  ASSERT_EQ(held.routes.lfts.size(), fabric_.switch_count());
  for (std::size_t s = 0; s < fabric_.switch_count(); ++s)
    EXPECT_EQ(held.routes.lfts[s], plan_.routes().lfts[s]);  // the same object
}

TEST_F(HeldTables, AreWhatTheShadowSaysElsewhere) {
  mad::AttrData block = lft_block(*plan_.routes().lfts[1], 2);
  block[5] = 77;
  shadow_.set(guid(1), mad::AttrId::linear_forwarding, 2, block);
  const program::HeldTables held = held_tables(fabric_, plan_, shadow_);
  EXPECT_EQ((*held.routes.lfts[1])[2 * 64 + 5], 77);
  EXPECT_EQ((*held.routes.lfts[1])[2 * 64 + 6], 2);
  EXPECT_EQ(held.routes.lfts[0], plan_.routes().lfts[0]);
}

TEST_F(HeldTables, BlocksOfWhichNothingIsKnownAreNamed) {
  shadow_.device(guid(2)).erase(mad::AttrId::linear_forwarding, 1);
  const program::HeldTables held = held_tables(fabric_, plan_, shadow_);
  ASSERT_EQ(held.unknown.size(), 1U);
  EXPECT_EQ(held.unknown.front(), std::pair(static_cast<SwitchId>(2), 1U));
  EXPECT_EQ((*held.routes.lfts[2])[64], plan::kUnknownWay);
  EXPECT_EQ((*held.routes.lfts[2])[128], 3);
}

TEST_F(HeldTables, EndAtLinearFdbTop) {
  set_top(0, 70);
  const program::HeldTables held = held_tables(fabric_, plan_, shadow_);
  EXPECT_EQ((*held.routes.lfts[0])[70], 1);
  EXPECT_EQ((*held.routes.lfts[0])[71], routing::kNoWay);
}

TEST_F(HeldTables, OfASwitchWithoutAnyAreNone) {
  set_top(3, 0);
  const program::HeldTables held = held_tables(fabric_, plan_, shadow_);
  EXPECT_EQ(held.routes.switches.size(), fabric_.switch_count() - 1);
  EXPECT_EQ(std::ranges::count(held.routes.switches, guid(3)), 0);
}

}  // namespace
}  // namespace weft::program
