#include "config/suggest.h"

#include <gtest/gtest.h>

#include "config/schema.h"

namespace weft::config {
namespace {

TEST(EditDistance, CountsInsertedDroppedChangedAndSwappedLetters) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("interval", "intervall"), 1u);
  EXPECT_EQ(edit_distance("interval", "intreval"), 1u);
  EXPECT_EQ(edit_distance("sweep", "swap"), 2u);
}

TEST(Nearest, AnswersNothingWhenNothingIsNear) {
  const std::vector<std::string> words{"umad", "ibsim", "sim"};
  EXPECT_EQ(nearest("umda", words), "umad");
  EXPECT_EQ(nearest("ethernet", words), "");
  EXPECT_EQ(nearest(std::string(100'000, 'x'), words), "");
}

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
