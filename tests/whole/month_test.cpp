// A month of virtual time with changes every day: memory does not grow. WEFT_MONTH_DAYS: another length.

#include <malloc.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/whole/chaos.h"

namespace weft::test {
namespace {

/// Resident memory in MiB, without what the allocator keeps for later.
double resident() {
  ::malloc_trim(0);
  std::ifstream pages("/proc/self/statm");
  std::uint64_t all = 0;
  std::uint64_t here = 0;
  pages >> all >> here;
  return static_cast<double>(here) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

/// Three managers, clients, and eight events a day of whatever kind; between them light sweeps, polls,
/// counters and the audit. The first days fill what has a bound.
TEST(Month, MemoryStaysAsItWas) {
  const char* text = std::getenv("WEFT_MONTH_DAYS");
  const int days = text == nullptr ? 30 : std::atoi(text);
  const int settled = days / 3;
  constexpr double kGrowth = 2;  // MiB: new GUIDs keep their LIDs, by design
  Chaos chaos("xgft:m=3,4:w=1,3", 1, {.shares = true, .m_keys = 1, .counts = true});
  ASSERT_EQ(chaos.warm_up(), "");
  double before = 0;
  for (int day = 1; day <= days; ++day) {
    ASSERT_EQ(chaos.run_events(8), "") << "day " << day;
    const double rest = static_cast<double>(day) - chaos.virtual_days();
    if (rest > 0)
      chaos.rest(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(rest * 86'400)));
    if (day == settled) before = resident();
    if (day % 5 == 0) std::printf("day %d: %.1f MiB resident\n", day, resident());
  }
  std::printf("%s\n", chaos.summary().c_str());
  EXPECT_GT(chaos.virtual_days(), days - 0.01);
  EXPECT_LT(resident(), before + kGrowth);
}

}  // namespace
}  // namespace weft::test
