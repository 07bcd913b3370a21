// Loss, mute and lying nodes, cables and switches that come and go.

#include <gtest/gtest.h>

#include "mad/node_info.h"
#include "tests/whole/whole.h"

namespace weft::test {
namespace {

constexpr Duration kAMinute = std::chrono::minutes(1);

class Loss : public testing::TestWithParam<int> {};

TEST_P(Loss, OfThreeInTenExchangesIsOvercome) {
  Whole whole("fat-tree:radix=8,levels=3", static_cast<std::uint64_t>(GetParam()), {.exchange_loss = 0.3});
  whole.start();
  EXPECT_TRUE(whole.run_until(
      [&] { return !whole.manager->sweeps().empty() && whole.manager->sweeps().back().clean; },
      10 * kAMinute));
  EXPECT_EQ(whole.faults(), "");
  EXPECT_LE(whole.manager->sweeps().size(), 8u);
}

TEST_P(Loss, OfThreeInAHundredPacketsAtEachLinkIsOvercome) {
  Whole whole("fat-tree:radix=8,levels=3", static_cast<std::uint64_t>(GetParam()), {.link_loss = 0.03});
  whole.start();
  EXPECT_TRUE(whole.run_until(
      [&] { return !whole.manager->sweeps().empty() && whole.manager->sweeps().back().clean; },
      10 * kAMinute));
  EXPECT_EQ(whole.faults(), "");
  EXPECT_LE(whole.manager->sweeps().size(), 8u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Loss, testing::Range(1, 6));

TEST(MuteSwitch, CostsOneRetryCycleAndItsOwnHostsOnly) {
  Whole healthy("fat-tree:radix=12,levels=3");
  const Duration normal = healthy.bring_up().took;
  Whole whole("fat-tree:radix=12,levels=3");
  whole.world->set_mute(whole.node("L2-03-02"), sim::Mute::smi);
  const daemon::SweepReport report = whole.bring_up();
  EXPECT_EQ(report.error, "");
  EXPECT_FALSE(report.clean);
  const config::SmpSettings smp;
  EXPECT_LE(report.took, normal + smp.timeout * smp.attempts + std::chrono::milliseconds(10));
  const sim::Reach reach = sim::all_pairs(*whole.world);
  EXPECT_EQ(reach.host_pairs_reached, reach.host_pairs) << (reach.failures.empty() ? "" : reach.failures[0]);
  whole.world->set_mute(whole.node("L2-03-02"), sim::Mute::none);
  EXPECT_TRUE(whole.run_until([&] { return whole.faults().empty(); }, kAMinute));
}

TEST(NodeThatAnswersNonsense, IsToldAndLeftOutWhileTheRestComesUp) {
  Whole whole("fat-tree:radix=8");
  const sim::NodeIndex liar = whole.node("h00005");
  whole.world->forge(liar, mad::AttrId::node_info, [](mad::Smp& answer) {
    auto info = mad::decode<mad::NodeInfo>(answer.data);
    info.port_count = 0;
    answer.data = mad::encode(info);
    return true;
  });
  const daemon::SweepReport report = whole.bring_up();
  EXPECT_EQ(report.error, "");
  EXPECT_TRUE(whole.has_problem("NumPorts 0"));
  const sim::PortSummary ports = sim::port_summary(*whole.world);
  EXPECT_EQ(ports.active, ports.linked - 2);
}

TEST(DuplicateGuid, IsToldWithBothPlaces) {
  Whole whole("fat-tree:radix=8");
  whole.world->set_guid(whole.node("h00009"), whole.world->node(whole.node("h00002")).guid);
  const daemon::SweepReport report = whole.bring_up();
  EXPECT_EQ(report.error, "");
  EXPECT_FALSE(report.clean);
  EXPECT_TRUE(whole.has_problem("answers at two places"));
  const sim::PortSummary ports = sim::port_summary(*whole.world);
  EXPECT_GE(ports.active, ports.linked - 4);
}

TEST(CutCable, IsRoutedAroundAndTakenBackWhenItReturns) {
  Whole whole("fat-tree:radix=12,levels=3");
  whole.start();
  ASSERT_TRUE(whole.run_until([&] { return whole.faults().empty(); }, kAMinute));
  const sim::NodeIndex leaf = whole.node("L1-00-00");
  whole.world->cut_link(leaf, PortNum{12});
  EXPECT_TRUE(whole.run_until([&] { return whole.faults().empty(); }, kAMinute)) << whole.faults();
  whole.world->mend_link(leaf, PortNum{12});
  EXPECT_TRUE(whole.run_until([&] { return whole.faults().empty() && whole.manager->sweeps().back().clean; },
                              kAMinute))
      << whole.faults();
}

TEST(RebootedSwitch, GetsItsTablesBack) {
  Whole whole("fat-tree:radix=8,levels=3");
  whole.start();
  ASSERT_TRUE(whole.run_until([&] { return whole.faults().empty(); }, kAMinute));
  for (const char* id : {"L1-00-01", "L2-01-00", "L3-00-00"}) {
    whole.world->reboot(whole.node(id), std::chrono::seconds(3));
    EXPECT_TRUE(whole.run_until([&] { return !whole.faults().empty(); }, kAMinute)) << id;
    EXPECT_TRUE(whole.run_until([&] { return whole.faults().empty(); }, kAMinute))
        << id << ": " << whole.faults();
  }
}

TEST(RebootedSwitch, GetsItsTablesBackWhenItWasQuickerThanAnySweep) {
  Whole whole("fat-tree:radix=8,levels=3");
  whole.start();
  ASSERT_TRUE(whole.run_until([&] { return whole.faults().empty(); }, kAMinute));
  whole.world->reboot(whole.node("L2-01-00"));
  EXPECT_TRUE(whole.run_until([&] { return whole.faults().empty(); }, kAMinute)) << whole.faults();
}

class KilledManager : public testing::TestWithParam<int> {};

TEST_P(KilledManager, LeavesAFabricThatTheNextOneBringsUpWithTheSameLids) {
  Whole whole("fat-tree:radix=8,levels=3", static_cast<std::uint64_t>(GetParam()));
  whole.start();
  ASSERT_TRUE(whole.bring_up().clean);
  const plan::Ledger ledger = whole.manager->ledger();
  Whole other("fat-tree:radix=8,levels=3", static_cast<std::uint64_t>(GetParam()));
  other.start(ledger);
  other.run_for(std::chrono::microseconds(300) * GetParam());
  other.start(ledger);
  EXPECT_TRUE(other.bring_up(3).clean);
  EXPECT_EQ(other.faults(), "");
  EXPECT_EQ(*other.manager->ledger().lids, *ledger.lids);
}

INSTANTIATE_TEST_SUITE_P(AtManyMoments, KilledManager, testing::Range(1, 31));

TEST(AnotherMaster, IsToldAndNothingIsWritten) {
  Whole whole("fat-tree:radix=8");
  ASSERT_TRUE(whole.bring_up().clean);
  const auto first_transport = std::move(whole.transport);  // outlives its manager
  const auto first = std::move(whole.manager);
  whole.start({}, {}, "h00007");
  const std::uint64_t before = whole.sets();
  const daemon::SweepReport report = whole.bring_up();
  EXPECT_NE(report.error.find("another manager is master"), std::string::npos) << report.error;
  EXPECT_EQ(whole.sets(), before);
  daemon::Status status;
  whole.manager->describe(status);
  EXPECT_EQ(status.state, daemon::State::standby);
  first->stop();
}

TEST(MergedFabrics, KeepEveryLidThatCanBeKept) {
  Whole whole("fat-tree:radix=8");
  ASSERT_TRUE(whole.bring_up().clean);
  // A host comes over from another fabric, live, with a LID that is taken here.
  const sim::PortIndex stranger = whole.world->port_of(whole.node("h00004"), PortNum{1});
  const sim::PortIndex owner = whole.world->port_of(whole.node("h00003"), PortNum{1});
  const plan::Ledger ledger = whole.manager->ledger();
  const Lid owned = whole.world->port(owner).info.lid;
  whole.world->set_lid(stranger, owned);
  whole.start(ledger);
  EXPECT_TRUE(whole.bring_up(3).clean);
  EXPECT_EQ(whole.faults(), "");
  EXPECT_EQ(whole.world->port(owner).info.lid, owned);
}

/// No trap reaches us while it is away, and the next light sweep is far.
TEST(OwnSwitch, ThatBootsIsServedAgainAtOnce) {
  Whole whole("fat-tree:radix=8");
  config::Settings settings;
  settings.sweep.interval = std::chrono::hours(1);
  whole.start({}, settings);
  ASSERT_TRUE(whole.settle());
  const sim::PortIndex own = whole.world->port_of(whole.node(whole.first_host), PortNum{1});
  const sim::NodeIndex leaf = whole.world->port(whole.world->port(own).peer).node;
  for (const int away : {300, 1500, 5000}) {
    whole.world->reboot(leaf, std::chrono::milliseconds(away));
    EXPECT_TRUE(
        whole.run_until([&] { return whole.faults().empty(); }, std::chrono::milliseconds(away + 3000)))
        << away;
    whole.run_for(std::chrono::seconds(5));
    EXPECT_EQ(whole.faults(), "");
    EXPECT_EQ(whole.status().state, daemon::State::master);
  }
}

}  // namespace
}  // namespace weft::test
