// Cold bring-up, restart and the counting of packets.

#include <gtest/gtest.h>

#include "tests/whole/whole.h"

namespace weft::test {
namespace {

class BringUp : public testing::TestWithParam<const char*> {};

TEST_P(BringUp, MakesEveryLinkActiveAndEveryPairReached) {
  Whole whole(GetParam());
  const daemon::SweepReport report = whole.bring_up();
  EXPECT_TRUE(report.clean) << report.error;
  EXPECT_EQ(whole.faults(), "");
}

TEST_P(BringUp, SendsNoSetToAHealthyFabricWhenItStartsAgain) {
  Whole whole(GetParam());
  ASSERT_TRUE(whole.bring_up().clean);
  const plan::Ledger ledger = whole.manager->ledger();
  const std::uint64_t before = whole.sets();
  whole.start(ledger);
  EXPECT_TRUE(whole.bring_up().clean);
  EXPECT_EQ(whole.sets(), before);
}

TEST_P(BringUp, SendsNoSetEvenWithoutItsLedger) {
  Whole whole(GetParam());
  ASSERT_TRUE(whole.bring_up().clean);
  const std::uint64_t before = whole.sets();
  whole.start();
  EXPECT_TRUE(whole.bring_up().clean);
  EXPECT_EQ(whole.sets(), before);
}

TEST_P(BringUp, LooksAtAnUnchangedFabricWithOnePacketASwitch) {
  Whole whole(GetParam());
  config::Settings settings;
  whole.start({}, settings);
  ASSERT_TRUE(whole.run_until(
      [&] {
        return !whole.manager->sweeps().empty() &&
               whole.manager->sweeps().back().kind == daemon::SweepKind::light;
      },
      std::chrono::seconds(60)));
  const daemon::SweepReport& light = whole.manager->sweeps().back();
  EXPECT_TRUE(light.clean);
  EXPECT_LE(light.smps, whole.world->switch_count() + 10);
  EXPECT_EQ(light.sets, 0u);
}

INSTANTIATE_TEST_SUITE_P(Fabrics, BringUp,
                         testing::Values("fat-tree:radix=8", "fat-tree:radix=8,levels=3",
                                         "dragonfly:p=2,a=4,h=2", "ring:6", "torus:3,3,3:hosts=1",
                                         "hypercube:4:hosts=1", "star:4", "chain:20",
                                         "random:switches=20,radix=12,hosts=40,links=60,seed=3",
                                         "fat-tree:radix=12,levels=3:fail-links=5%,seed=7"));

TEST(BringUpOfTwoHosts, NeedsNoSwitch) {
  topology::Topology two = *topology::load("star:2");
  std::erase_if(two.nodes, [](const topology::Node& node) { return node.type == NodeType::switch_; });
  two.nodes.resize(2);
  two.cables = {topology::Cable{.a = {0, PortNum{1}}, .b = {1, PortNum{1}}}};
  Whole whole(two);
  EXPECT_TRUE(whole.bring_up().clean);
  EXPECT_EQ(whole.faults(), "");
}

TEST(Packets, OfAColdBringUpAreAtMostHalfOfOpenSms) {
  // OpenSM 3.3.23 sends 23,654 SMPs here.
  Whole whole("fat-tree:radix=36");
  const daemon::SweepReport report = whole.bring_up();
  EXPECT_TRUE(report.clean);
  EXPECT_LE(report.smps, 23654u / 2);
}

class Lmc : public testing::TestWithParam<int> {};

TEST_P(Lmc, GivesAlignedRangesThatAllWork) {
  Whole whole("fat-tree:radix=4,levels=3");
  config::Settings settings;
  settings.plan.lids.lmc = static_cast<std::uint8_t>(GetParam());
  whole.start({}, settings);
  EXPECT_TRUE(whole.bring_up().clean);
  EXPECT_EQ(whole.faults(), "");
  const sim::Port& port = whole.world->port(whole.world->port_of(whole.node(whole.first_host), PortNum{1}));
  EXPECT_EQ(port.info.lmc, GetParam());
  EXPECT_EQ(raw(port.info.lid) % (1 << GetParam()), 0);
}

INSTANTIATE_TEST_SUITE_P(All, Lmc, testing::Range(0, 8));

}  // namespace
}  // namespace weft::test
