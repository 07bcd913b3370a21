#include "routing/wait_order.h"

#include <algorithm>
#include <functional>
#include <random>

#include <gtest/gtest.h>

namespace weft::routing {
namespace {

constexpr std::uint32_t kSwitches = 6;
constexpr std::uint32_t kWidth = kSwitches;  // port p of every switch leads to switch p

std::vector<std::uint32_t> each_to_each() {
  std::vector<std::uint32_t> peers;
  for (std::uint32_t s = 0; s < kSwitches; ++s)
    for (std::uint32_t p = 0; p < kWidth; ++p) peers.push_back(s == p ? WaitOrder::kNobody : p);
  return peers;
}

struct Wait {
  std::uint32_t from, via, to, lane, out_lane;
  std::uint32_t holds() const { return (from * kWidth + via) * 2 + lane; }
  std::uint32_t wants() const { return (via * kWidth + to) * 2 + out_lane; }
};

/// The slow obvious way.
bool goes_round(const std::vector<Wait>& waits, const Wait& more) {
  std::vector<bool> met(kSwitches * kWidth * 2);
  const std::function<bool(std::uint32_t)> leads_back = [&](std::uint32_t channel) {
    if (channel == more.holds()) return true;
    if (met[channel]) return false;
    met[channel] = true;
    return std::ranges::any_of(waits,
                               [&](const Wait& w) { return w.holds() == channel && leads_back(w.wants()); });
  };
  return leads_back(more.wants());
}

TEST(WaitOrder, RefusesExactlyWhatClosesACircle) {
  const std::vector<std::uint32_t> peers = each_to_each();
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    WaitOrder order(peers, kWidth, 2);
    ASSERT_TRUE(order.sort());
    std::vector<Wait> waits;
    for (int i = 0; i < 300; ++i) {
      const auto below = [&random](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
      const Wait one{below(kSwitches), below(kSwitches), below(kSwitches), below(2), below(2)};
      if (one.from == one.via || one.via == one.to) continue;
      const std::size_t mark = order.mark();
      const bool fits = !goes_round(waits, one);
      EXPECT_EQ(order.try_depend(one.holds(), one.to, one.out_lane), fits) << "seed " << seed;
      if (below(4) == 0)
        order.undo(mark);  // one that stood before stays
      else if (fits)
        waits.push_back(one);
    }
  }
}

TEST(WaitOrder, FindsACircleAmongWhatIsThereAtFirst) {
  const std::vector<std::uint32_t> peers = each_to_each();
  WaitOrder order(peers, kWidth, 1);
  order.depend(order.id(0, 1, 0), 2, 0);
  order.depend(order.id(1, 2, 0), 0, 0);
  EXPECT_TRUE(order.sort());
  order.depend(order.id(2, 0, 0), 1, 0);
  EXPECT_FALSE(order.sort());
}

}  // namespace
}  // namespace weft::routing
