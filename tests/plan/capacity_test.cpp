#include "plan/capacity.h"

#include <gtest/gtest.h>

#include "fabric/builder.h"
#include "tests/support/fabric_of.h"

namespace weft::plan {
namespace {

using test::fabric_of;

/// A two-level tree of 44 end ports, its first switch with this LinearFDBCap.
fabric::Fabric tree_with_capacity(std::uint16_t capacity) {
  const fabric::Fabric whole = fabric_of("fat-tree:radix=8");
  fabric::Builder builder = test::builder_from(whole);
  fabric::SwitchFacts facts = whole.node(SwitchId{0}).switch_facts;
  facts.lft_capacity = capacity;
  builder.set_switch_facts(whole.node(SwitchId{0}).guid, facts);
  return builder.build();
}

TEST(FindTooSmall, NamesTheSwitchThatCannotHoldTheLidsInUse) {
  const Capacity capacity = find_too_small(tree_with_capacity(20), {}, {});
  EXPECT_EQ(capacity.top, Lid{44});
  EXPECT_EQ(capacity.too_small, std::vector{SwitchId{0}});
}

TEST(FindTooSmall, CountsLidZeroAsAnEntry) {
  EXPECT_FALSE(find_too_small(tree_with_capacity(44), {}, {}).too_small.empty());
  EXPECT_TRUE(find_too_small(tree_with_capacity(45), {}, {}).too_small.empty());
}

TEST(FindTooSmall, TakesAnUnknownCapacityForEnough) {
  EXPECT_TRUE(find_too_small(tree_with_capacity(0), {}, {}).too_small.empty());
}

}  // namespace
}  // namespace weft::plan
