#include "config/schema.h"

#include <gtest/gtest.h>

namespace weft::config {
namespace {

TEST(Suggestion, PrefersNeighboursThenTheSameNameElsewhereThenOpenSmsName) {
  EXPECT_EQ(suggestion("sweep", "intervall"), "sweep.interval");
  EXPECT_EQ(suggestion("", "swep"), "sweep");
  EXPECT_EQ(suggestion("", "lmc"), "lids.lmc");
  EXPECT_EQ(suggestion("log", "priority"), "manager.priority");
  EXPECT_EQ(suggestion("", "max_op_vls"), "links.max_vls");
  EXPECT_EQ(suggestion("", "head_of_queue_lifetime"), "links.hoq_life");
  EXPECT_EQ(suggestion("", "sweep.intervall"), "sweep.interval");
  EXPECT_EQ(suggestion("", "transport.knd"), "transport.kind");
  EXPECT_EQ(suggestion("", "completely_different"), "");
}

}  // namespace
}  // namespace weft::config
