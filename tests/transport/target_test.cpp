#include "transport/target.h"

#include <gtest/gtest.h>

namespace weft::transport {
namespace {

TEST(TargetBy, HasNothingForANodeWithoutAWay) { EXPECT_FALSE(target_by(Guid{7}, std::nullopt)); }

TEST(TargetBy, TakesNoPortsForOurOwnNodeAndPortsForAnother) {
  const auto own = target_by(Guid{7}, std::vector<PortNum>{});
  ASSERT_TRUE(own);
  EXPECT_EQ(own->route.hops(), 0);
  const auto other = target_by(Guid{8}, std::vector{PortNum{1}, PortNum{19}});
  ASSERT_TRUE(other);
  EXPECT_EQ(other->node, Guid{8});
  EXPECT_EQ(mad::to_string(other->route), "0,1,19");
}

}  // namespace
}  // namespace weft::transport
