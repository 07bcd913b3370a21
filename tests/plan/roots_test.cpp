#include "plan/roots.h"

#include <gtest/gtest.h>

#include "tests/support/fabric_of.h"

namespace weft::plan {
namespace {

TEST(Matches, TakesStarsAndQuestionMarks) {
  EXPECT_TRUE(matches("spine-*", "spine-"));
  EXPECT_TRUE(matches("spine-*", "spine-12"));
  EXPECT_TRUE(matches("*-1?", "spine-12"));
  EXPECT_TRUE(matches("*ab*ab", "abaabab"));
  EXPECT_TRUE(matches("**", ""));
  EXPECT_FALSE(matches("spine-?", "spine-12"));
  EXPECT_FALSE(matches("spine", "spine-1"));
  EXPECT_FALSE(matches("*-2", "spine-21"));
  EXPECT_FALSE(matches("", "a"));
}

class FindRoots : public testing::Test {
 protected:
  FindRoots() {
    fabric::Builder builder = test::builder_from(test::fabric_of("ring:4:hosts=1"));
    builder.set_description(switch_guid(0), "spine-a");
    builder.set_description(switch_guid(1), "spine-b");
    fabric_ = builder.build();
  }
  Guid switch_guid(std::uint32_t i) const {
    static const fabric::Fabric kRing = test::fabric_of("ring:4:hosts=1");
    return kRing.node(static_cast<SwitchId>(i)).guid;
  }
  fabric::Fabric fabric_;
};

TEST_F(FindRoots, KnowsSwitchesByNamePatternAndGuid) {
  const Roots roots = find_roots(fabric_, {"spine-*", to_string(switch_guid(3)), "spine-a"});
  EXPECT_EQ(roots.guids, (std::vector<Guid>{switch_guid(0), switch_guid(1), switch_guid(3)}));
  EXPECT_TRUE(roots.notes.empty());
}

TEST_F(FindRoots, TellsOfWordsThatMeanNoSwitch) {
  const Guid host = fabric_.node(fabric_.end_ports().back().node).guid;
  const Roots roots = find_roots(fabric_, {"core-1", to_string(host), "0x1"});
  EXPECT_TRUE(roots.guids.empty());
  ASSERT_EQ(roots.notes.size(), 3U);
  EXPECT_NE(roots.notes[0].find("\"core-1\""), std::string::npos);
}

}  // namespace
}  // namespace weft::plan
