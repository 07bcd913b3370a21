// A dragonfly, whose tables are safe on two lanes alone: SL2VL comes before traffic, stays over a restart,
// and no change mixes lanes.

#include <gtest/gtest.h>

#include "tests/whole/whole.h"

namespace weft::test {
namespace {

constexpr std::string_view kDragonfly = "dragonfly:p=2,a=6,h=2,g=9";

std::uint64_t lane_sets(const Whole& whole) {
  return whole.world->counters().total(
      {.node = {}, .mgmt_class = {}, .method = mad::Method::set, .attribute = mad::AttrId::sl_to_vl});
}
std::string engine_of(const Whole& whole) { return whole.manager->view()->plan->routes().engine; }

config::Settings with_engine(const char* engine) {
  config::Settings settings;
  settings.plan.routing.chain.engines = {engine};
  return settings;
}

class Dragonfly : public testing::TestWithParam<bool> {
 protected:
  Dragonfly() {
    sim::Settings settings;
    settings.optimized_sl_to_vl = GetParam();
    for (std::uint32_t n = 0; n < whole.world->node_count(); ++n) {
      whole.world->equip(sim::NodeIndex{n}, settings);
      whole.world->reboot(sim::NodeIndex{n});
    }
  }
  Whole whole{kDragonfly};
};

TEST_P(Dragonfly, ComesUpWithItsOwnEngineAndBothLanes) {
  const daemon::SweepReport report = whole.bring_up();
  EXPECT_TRUE(report.clean) << report.error;
  EXPECT_EQ(engine_of(whole), "dragonfly");
  EXPECT_EQ(whole.faults(), "");
  // 54 switches of 2 hosts, 5 local and 2 global links: 10 rows, and 2 columns where rows do not say all; or
  // 10 by 9.
  EXPECT_LE(lane_sets(whole), GetParam() ? 54u * 14 : 54u * 90);
  EXPECT_GE(lane_sets(whole), 54u * 9);
}

TEST_P(Dragonfly, IsNotWrittenToByARestart) {
  whole.bring_up();
  ASSERT_EQ(whole.faults(), "");
  const std::uint64_t before = whole.sets();
  const plan::Ledger kept = whole.store.ledger;
  whole.start(kept);
  whole.run_for(std::chrono::seconds(30));
  EXPECT_EQ(whole.sets(), before);
}

TEST_P(Dragonfly, SurvivesCutCablesAndReboots) {
  whole.start();
  ASSERT_TRUE(whole.settle());
  for (int port = 3; port <= 7; ++port) {
    whole.world->cut_link(sim::NodeIndex{static_cast<std::uint32_t>(port)}, static_cast<PortNum>(port));
    EXPECT_TRUE(whole.settle()) << port << ": " << whole.faults();
  }
  whole.world->reboot(sim::NodeIndex{9}, std::chrono::seconds(3));
  EXPECT_TRUE(whole.run_until([&] { return !whole.faults().empty(); }, std::chrono::minutes(1)));
  EXPECT_TRUE(whole.settle()) << whole.faults();
}

TEST_P(Dragonfly, ChangesItsEngineWithoutAMomentInWhichItCouldDeadlock) {
  whole.start({}, with_engine("up-down"));
  ASSERT_TRUE(whole.settle());
  ASSERT_EQ(engine_of(whole), "up-down");
  whole.manager->reconfigure(std::make_shared<const config::Settings>(with_engine("dragonfly")));
  std::uint64_t seen = 0;
  std::size_t looked = 0;
  std::string cycle;
  const bool done = whole.run_until(
      [&] {
        if (whole.sets() == seen) return false;
        seen = whole.sets();
        ++looked;
        if (cycle.empty()) cycle = sim::credit_loop(*whole.world).value_or("");
        return engine_of(whole) == "dragonfly" && whole.faults().empty();
      },
      std::chrono::minutes(1));
  EXPECT_TRUE(done || whole.settle()) << whole.faults();
  EXPECT_EQ(engine_of(whole), "dragonfly");
  EXPECT_EQ(cycle, "");
  EXPECT_GT(looked, 50u);
}

INSTANTIATE_TEST_SUITE_P(WithRowsAndWithout, Dragonfly, testing::Bool());

TEST(SwitchThatRefusesLanes, GetsNoTablesWhileTheRestComesUp) {
  Whole whole(kDragonfly);
  const sim::NodeIndex odd = whole.node("R-g002-01");
  whole.world->forge(odd, mad::AttrId::sl_to_vl, [](mad::Smp& answer) {
    answer.status = 0x1c;
    return true;
  });
  const daemon::SweepReport report = whole.bring_up();
  EXPECT_FALSE(report.clean);
  EXPECT_EQ(whole.status().dirty.size(), 1u);
  EXPECT_EQ(sim::credit_loop(*whole.world), std::nullopt);
}

}  // namespace
}  // namespace weft::test
