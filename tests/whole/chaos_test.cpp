// Storm of chaos, by seed: after every quiet period everything is right, and it is silent. WEFT_CHAOS_EVENTS
// and WEFT_CHAOS_SEED: how many, and which ones again.

#include <chrono>
#include <cstdlib>

#include <gtest/gtest.h>

#include "tests/whole/chaos.h"

namespace weft::test {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t fallback) {
  const char* text = std::getenv(name);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

struct Place {
  const char* fabric;
  std::uint64_t number;
};

class StormOfChaos : public testing::TestWithParam<Place> {};
INSTANTIATE_TEST_SUITE_P(Fabrics, StormOfChaos,
                         testing::Values(Place{"fat-tree:radix=4", 0}, Place{"xgft:m=3,4:w=1,3", 1},
                                         Place{"dragonfly:p=1,a=3,h=1", 2}, Place{"torus:3,3", 3},
                                         Place{"ring:5", 4}));

TEST_P(StormOfChaos, EndsInOrderAfterEveryQuietPeriod) {
  const std::uint64_t seed = from_environment("WEFT_CHAOS_SEED", 1);
  const std::uint64_t count = from_environment("WEFT_CHAOS_EVENTS", 400);
  const auto began = std::chrono::steady_clock::now();
  Chaos chaos(GetParam().fabric, seed, ChaosSettings::of(seed + GetParam().number));
  ASSERT_EQ(chaos.warm_up(), "");
  EXPECT_EQ(chaos.run_events(count), "");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::printf("%s: seed %llu, in %.0f s (a week in %.0f s): %s\n", GetParam().fabric,
              static_cast<unsigned long long>(seed), took.count(), took.count() * 7 / chaos.virtual_days(),
              chaos.summary().c_str());
}

}  // namespace
}  // namespace weft::test
