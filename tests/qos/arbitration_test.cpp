#include "qos/arbitration.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

namespace weft::qos {
namespace {

/// The farthest that two entries of a lane are apart, going round.
std::size_t widest_gap(const std::vector<ArbEntry>& table, Vl vl) {
  std::size_t widest = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].vl != vl) continue;
    std::size_t gap = 1;
    while (table[(i + gap) % table.size()].vl != vl) ++gap;
    widest = std::max(widest, gap);
  }
  return widest;
}

TEST(Arbitrate, GivesOneLaneAllOfTheLowTable) {
  const Arbitration made = arbitrate({{Vl{0}, 1.0, false}}, 8, 8);
  EXPECT_TRUE(made.high.empty());
  EXPECT_EQ(made.low.size(), 8u);
  EXPECT_EQ(share_of(made.low, Vl{0}), 1.0);
  EXPECT_EQ(made.high_limit, 0);
}

TEST(Arbitrate, PutsStrictLanesIntoTheHighTableWithoutALimit) {
  const Arbitration made = arbitrate({{Vl{0}, 1.0, false}, {Vl{1}, 1.0, true}}, 8, 8);
  EXPECT_EQ(share_of(made.high, Vl{1}), 1.0);
  EXPECT_EQ(share_of(made.low, Vl{1}), 0.0);
  EXPECT_EQ(made.high_limit, 255);
}

TEST(Arbitrate, FavoursStrictLanesWhereThereIsNoHighTable) {
  const Arbitration made = arbitrate({{Vl{0}, 1.0, false}, {Vl{1}, 1.0, true}}, 0, 8);
  EXPECT_GT(share_of(made.low, Vl{1}), 0.95);
  EXPECT_GT(share_of(made.low, Vl{0}), 0.0) << "nobody starves";
}

TEST(Arbitrate, TellsOfLanesWithoutRoom) {
  std::vector<Vl> left_out;
  const Arbitration made =
      arbitrate({{Vl{0}, 0.5, false}, {Vl{1}, 0.3, false}, {Vl{2}, 0.2, false}}, 0, 2, &left_out);
  EXPECT_EQ(left_out, std::vector<Vl>{Vl{2}});
  EXPECT_EQ(made.low.size(), 2u);
}

RC_GTEST_PROP(Arbitrate, SharesAsAskedAndSpreadsEvenly, ()) {
  const std::size_t length = *rc::gen::inRange<std::size_t>(8, 65);
  const int count = *rc::gen::inRange(1, 9);
  std::vector<LaneShare> lanes;
  double total = 0;
  for (int i = 0; i < count; ++i) {
    lanes.push_back({static_cast<Vl>(i), static_cast<double>(*rc::gen::inRange(1, 21)), false});
    total += lanes.back().share;
  }
  const Arbitration made = arbitrate(lanes, 0, length);
  RC_ASSERT(made.low.size() == length);
  for (const LaneShare& lane : lanes) {
    const double wanted = lane.share / total;
    RC_ASSERT(std::abs(share_of(made.low, lane.vl) - wanted) < 0.01);
    const auto entries = static_cast<std::size_t>(std::ranges::count(made.low, lane.vl, &ArbEntry::vl));
    RC_ASSERT(entries >= 1);
    RC_ASSERT(widest_gap(made.low, lane.vl) <= 2 * ((length + entries - 1) / entries));
  }
}

}  // namespace
}  // namespace weft::qos
