// Error counters of ports, read now and then, and links that run below what they can.

#include <algorithm>

#include <gtest/gtest.h>

#include "plan/routes_over.h"
#include "tests/whole/whole.h"

namespace weft::test {
namespace {

using sim::PerfCounter;
using std::chrono::minutes;
using std::chrono::seconds;

config::Settings counting(bool hold = false) {
  config::Settings settings;
  settings.link_health.counters = seconds(60);
  settings.link_health.symbol_errors = 100;
  settings.link_health.flaps = 3;
  settings.link_health.hold_by_counters = hold;
  settings.link_health.hold = minutes(2);
  return settings;
}

struct Counting {
  explicit Counting(config::Settings settings) : whole("fat-tree:radix=8") {
    whole.start({}, settings);
    EXPECT_TRUE(whole.settle()) << whole.faults();
    whole.run_for(minutes(2));  // what has been counted before is nobody's fault
  }
  sim::PortIndex port(std::string_view node, std::uint8_t number) const {
    return whole.world->port_of(whole.node(node), PortNum{number});
  }
  void count(sim::PortIndex at, PerfCounter counter, std::uint64_t times) {
    whole.world->perf().add(at, counter, times);
    whole.run_for(seconds(90));
  }
  std::size_t events(std::string_view kind) const {
    return static_cast<std::size_t>(
        std::ranges::count(whole.events->after(0, 10'000), kind, &daemon::Event::kind));
  }
  Whole whole;
};

TEST(Counters, AreNotReadUnlessThatIsAskedFor) {
  Counting here(config::Settings{});
  EXPECT_EQ(here.whole.manager->counters().reads(), 0u);
}

TEST(Counters, CostOnePacketAPortAndIntervalOfSwitches) {
  Counting here(counting());
  const std::uint64_t before = here.whole.manager->counters().reads();
  here.whole.run_for(minutes(10));
  const std::uint64_t ports = 12 * 8;  // of switches
  EXPECT_GE(here.whole.manager->counters().reads() - before, 9 * ports);
  EXPECT_LE(here.whole.manager->counters().reads() - before, 11 * ports);
}

TEST(Counters, TellOfSymbolErrorsAndForgetThemAfterAnHour) {
  Counting here(counting());
  here.count(here.port("L1-01", 8), PerfCounter::symbol_errors, 100);
  EXPECT_FALSE(here.whole.has_problem("SymbolErrors"));
  here.count(here.port("L1-01", 8), PerfCounter::symbol_errors, 1);
  EXPECT_TRUE(here.whole.has_problem("(L1-01 leaf) port 8 has counted 101 SymbolErrors in the last hour"));
  EXPECT_EQ(here.events("link_bad"), 1u);
  EXPECT_EQ(here.events("link_held"), 0u);
  here.whole.run_for(minutes(70));
  EXPECT_FALSE(here.whole.has_problem("SymbolErrors"));
}

TEST(Counters, HoldALinkWhereThatIsAskedFor) {
  Counting here(counting(true));
  here.count(here.port("L1-01", 8), PerfCounter::symbol_errors, 1000);
  EXPECT_EQ(here.events("link_held"), 1u);
  EXPECT_TRUE(here.whole.run_until([&] { return here.events("link_released") == 1; }, minutes(4)));
  EXPECT_TRUE(here.whole.settle()) << here.whole.faults();
}

TEST(Counters, TellOfLinksThatWentDownUnseen) {
  Counting here(counting());
  here.count(here.port("L1-01", 8), PerfCounter::link_downed, 10);
  here.count(here.whole.world->port(here.port("L1-01", 8)).peer, PerfCounter::link_downed, 10);
  EXPECT_EQ(here.events("link_held"), 1u);
}

TEST(Counters, ThatAreSetBackByOthersCountFromThere) {
  Counting here(counting());
  const sim::PortIndex port = here.port("L1-01", 8);
  here.count(port, PerfCounter::symbol_errors, 60);
  here.whole.world->perf().set(port, PerfCounter::symbol_errors, 0);
  here.count(port, PerfCounter::symbol_errors, 30);
  EXPECT_FALSE(here.whole.has_problem("SymbolErrors"));
  here.count(port, PerfCounter::symbol_errors, 11);
  EXPECT_TRUE(here.whole.has_problem("counted 101 SymbolErrors"));
}

/// LIDs that lead over this port by the switch's own table.
std::size_t lids_over(const Whole& whole, std::string_view name, PortNum port) {
  const auto view = whole.manager->view();
  const plan::Place place{whole.world->node(whole.node(name)).guid, port};
  return plan::routes_over(*view, place, nullptr).lids;
}

TEST(SlowLinks, CarryNoTrafficWhereThatIsAskedForAndOthersDo) {
  for (const auto slow_links : {plan::SlowLinks::use, plan::SlowLinks::avoid}) {
    Whole whole("fat-tree:radix=8");
    config::Settings settings;
    settings.plan.routing.slow_links = slow_links;
    whole.start({}, settings);
    ASSERT_TRUE(whole.settle());
    const PortNum number{8};
    const sim::NodeIndex leaf = whole.node("L1-01");
    const sim::PortIndex port = whole.world->port_of(leaf, number);
    EXPECT_GT(lids_over(whole, "L1-01", number), 0u);
    const auto enabled = whole.world->port(port).info.width_enabled;
    const auto retrain_at = [&](auto width) {
      whole.world->port(port).info.width_enabled = width;
      whole.world->cut_link(leaf, number);
      whole.run_for(seconds(1));
      whole.world->mend_link(leaf, number);
      ASSERT_TRUE(whole.settle());
    };
    retrain_at(decltype(enabled){1});
    EXPECT_EQ(lids_over(whole, "L1-01", number) == 0, slow_links == plan::SlowLinks::avoid);
    EXPECT_EQ(whole.faults(), "");
    retrain_at(enabled);
    EXPECT_GT(lids_over(whole, "L1-01", number), 0u);
  }
}

TEST(SlowLinks, ThatAreTheOnlyWayAreUsed) {
  Whole whole("ring:4");
  config::Settings settings;
  settings.plan.routing.slow_links = plan::SlowLinks::avoid;
  for (std::uint32_t n = 0; n < whole.world->node_count(); ++n)
    for (std::uint8_t p = 1; p <= whole.world->node(sim::NodeIndex{n}).port_count; ++p)
      whole.world->port(whole.world->port_of(sim::NodeIndex{n}, PortNum{p})).info.width_active =
          LinkWidth::x1;
  whole.start({}, settings);
  EXPECT_TRUE(whole.settle()) << whole.faults();
  EXPECT_TRUE(whole.has_problem("below what both its ends can"));
}

TEST(SlowLinks, AreAProblemUntilTheyAreAsFastAsTheyCanBe) {
  Whole whole("fat-tree:radix=8");
  whole.start();
  ASSERT_TRUE(whole.settle());
  EXPECT_FALSE(whole.has_problem("below what"));
  const sim::PortIndex port = whole.world->port_of(whole.node("L1-01"), PortNum{8});
  const auto enabled = whole.world->port(port).info.width_enabled;
  whole.world->port(port).info.width_enabled = 1;
  whole.world->cut_link(whole.node("L1-01"), PortNum{8});
  whole.run_for(seconds(1));
  whole.world->mend_link(whole.node("L1-01"), PortNum{8});
  ASSERT_TRUE(whole.settle());
  EXPECT_TRUE(whole.has_problem("is below what both its ends can: width 1x of 4x"));
  whole.world->port(port).info.width_enabled = enabled;
  whole.world->cut_link(whole.node("L1-01"), PortNum{8});
  whole.run_for(seconds(1));
  whole.world->mend_link(whole.node("L1-01"), PortNum{8});
  ASSERT_TRUE(whole.settle());
  EXPECT_FALSE(whole.has_problem("below what"));
}

}  // namespace
}  // namespace weft::test
