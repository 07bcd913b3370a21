// The end of a manager in the middle of a sweep: systemd waits only so long.

#include <gtest/gtest.h>

#include "tests/whole/whole.h"

namespace weft::test {
namespace {

constexpr const char* kLarge = "fat-tree:radix=24,levels=3";  // 3,456 hosts, 720 switches
constexpr auto kPatience = std::chrono::seconds(5);

Duration sweep_time() {
  static const Duration took = Whole(kLarge).bring_up().took;
  return took;
}

/// Tenths of the first sweep.
class StopInABigSweep : public testing::TestWithParam<int> {};

TEST_P(StopInABigSweep, EndsItPromptly) {
  Whole whole(kLarge);
  whole.start();
  whole.run_for(sweep_time() * GetParam() / 10);
  const Instant began = whole.clock.now();
  const auto real = std::chrono::steady_clock::now();
  const std::uint64_t last_event = whole.events->last_id();
  whole.manager->stop();
  EXPECT_TRUE(whole.run_until_ended(kPatience));
  EXPECT_LT(whole.clock.now() - began, std::chrono::seconds(1));
  EXPECT_LT(std::chrono::steady_clock::now() - real, kPatience);
  EXPECT_EQ(whole.events->last_id(), last_event) << "what was cut short is no news of the fabric";
}

INSTANTIATE_TEST_SUITE_P(AtTenthsOfIt, StopInABigSweep, testing::Values(1, 4, 6, 8));

}  // namespace
}  // namespace weft::test
