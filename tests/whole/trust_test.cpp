// What the manager may believe of tables: what it wrote, as long as nobody else can have changed them.

#include <array>

#include <gtest/gtest.h>

#include "config/read.h"
#include "mad/tables.h"
#include "sim/partition.h"
#include "tests/whole/whole.h"

namespace weft::test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

config::Settings many_blocks() {
  config::Settings settings;
  settings.plan.lids.lmc = 7;  // 31 ends take 62 blocks, so that a sample of one block tells little
  return settings;
}

std::uint64_t lft_sets(const Whole& whole, sim::NodeIndex node) {
  return whole.world->counters().total({.node = node,
                                        .mgmt_class = {},
                                        .method = mad::Method::set,
                                        .attribute = mad::AttrId::linear_forwarding});
}

TEST(TablesWipedBehindOurBack, AreNoticedAtTheNextFullSweepAndWrittenAgain) {
  Whole whole("fat-tree:radix=8");
  whole.start();
  ASSERT_TRUE(whole.settle());
  for (PortNum& entry : whole.world->switch_of(whole.node("L2-01")).lft) entry = kPortDrop;
  whole.manager->ask_for_sweep("test");
  whole.run_for(seconds(30));
  EXPECT_EQ(whole.faults(), "");
}

TEST(TablesOfAnotherMaster, AreReadBackWhenWeAreMasterAgain) {
  Whole whole("star:30");
  whole.start({}, many_blocks());
  ASSERT_TRUE(whole.settle());
  config::Settings higher = many_blocks();
  higher.manager.priority = 15;
  (void)whole.transport->set_is_sm(false);  // the other one does not see us and becomes master
  Rival rival(whole, "h00007", higher);
  whole.run_for(seconds(30));
  ASSERT_EQ(whole.status().state, daemon::State::standby);
  // It leaves one entry in one block of 62 that we did not write.
  std::vector<PortNum>& lft = whole.world->switch_of(whole.node("S")).lft;
  const sim::Port& victim = whole.world->port(whole.world->port_of(whole.node("h00012"), PortNum{1}));
  lft[raw(victim.info.lid)] = kPortDrop;
  rival.stop();
  whole.run_for(seconds(60));
  EXPECT_EQ(whole.status().state, daemon::State::master);
  EXPECT_EQ(whole.faults(), "");
}

/// Two hosts change places; the manager ends when it has written the first block of the new tables, and they
/// are back when the next one starts.
class EndedWhileItWritesTables : public testing::TestWithParam<bool> {};

TEST_P(EndedWhileItWritesTables, LeavesNoDigestThatVouchesForAnOldTable) {
  const bool killed = GetParam();
  Whole whole("star:30");
  whole.start({}, many_blocks());
  ASSERT_TRUE(whole.settle());
  const sim::NodeIndex host = whole.node("h00009");
  const sim::NodeIndex other = whole.node("h00019");
  const sim::NodeIndex hub = whole.node("S");
  const std::uint64_t before = lft_sets(whole, hub);
  whole.world->swap_places(host, other);
  ASSERT_TRUE(whole.run_until([&] { return lft_sets(whole, hub) > before; }, seconds(30)));
  const plan::Ledger on_disk = whole.store.ledger;
  whole.kill();  // a manager that is stopped may still save something
  whole.world->swap_places(host, other);
  whole.start(killed ? on_disk : whole.store.ledger, many_blocks());
  whole.run_for(seconds(30));
  EXPECT_EQ(whole.faults(), "");
}

INSTANTIATE_TEST_SUITE_P(KilledOrStopped, EndedWhileItWritesTables, testing::Bool());

TEST(OldDigests, OfARestoredStateFileAreFoundOutByTheSample) {
  Whole whole("star:30");  // one block: the sample is that one
  whole.start();
  ASSERT_TRUE(whole.settle());
  const plan::Ledger old = whole.store.ledger;
  const sim::NodeIndex host = whole.node("h00009");
  whole.world->cut_link(host, PortNum{1});
  whole.run_for(seconds(30));
  whole.kill();
  whole.world->mend_link(host, PortNum{1});
  whole.start(old);
  whole.run_for(seconds(30));
  EXPECT_EQ(whole.faults(), "");
}

/// A switch that boots between the Set of a block and that of LinearFDBTop, which then marks a table as
/// complete that has lost the block.
void reboot_at_the_next_block(Whole& whole, sim::NodeIndex node) {
  const std::uint64_t before = lft_sets(whole, node);
  ASSERT_TRUE(whole.run_until([&] { return lft_sets(whole, node) > before; }, seconds(30)));
  whole.world->reboot(node);
  whole.run_for(seconds(60));
  EXPECT_EQ(whole.faults(), "");
}

TEST(RebootBetweenABlockAndLinearFdbTop, IsNoticedInBringUp) {
  Whole whole("fat-tree:radix=8,levels=3");
  whole.start();
  reboot_at_the_next_block(whole, whole.node("L2-01-00"));
}

TEST(RebootBetweenABlockAndLinearFdbTop, IsNoticedInReRouting) {
  Whole whole("fat-tree:radix=8,levels=3");
  whole.start();
  ASSERT_TRUE(whole.settle());
  whole.world->cut_link(whole.node("L1-00-00"), PortNum{5});
  reboot_at_the_next_block(whole, whole.node("L2-00-00"));
}

class RebootDuring : public testing::TestWithParam<int> {
 protected:
  /// A spine boots at a moment from now.
  static void reboot_and_expect_recovery(Whole& whole) {
    whole.clock.after(milliseconds(5) + microseconds(100) * GetParam(),
                      [&whole] { whole.world->reboot(whole.node("L2-01-00")); });
    whole.run_for(seconds(60));
    EXPECT_EQ(whole.faults(), "");
  }
};

TEST_P(RebootDuring, BringUpIsNoticed) {
  Whole whole("fat-tree:radix=8,levels=3");
  whole.start();
  reboot_and_expect_recovery(whole);
}

TEST_P(RebootDuring, ReRoutingIsNoticed) {
  Whole whole("fat-tree:radix=8,levels=3");
  whole.start();
  ASSERT_TRUE(whole.settle());
  whole.world->cut_link(whole.node("L1-00-00"), PortNum{5});
  reboot_and_expect_recovery(whole);
}

INSTANTIATE_TEST_SUITE_P(AtManyMoments, RebootDuring, testing::Range(0, 30, 2));

/// A switch that says another's GUID for a while.
class DoubledSwitch : public testing::TestWithParam<int> {};

TEST_P(DoubledSwitch, IsToldAndCuredOnceItHasItsOwnGuidAgain) {
  const auto one = static_cast<std::size_t>(GetParam());
  for (std::size_t other = 0; other < 6; ++other) {
    if (other == one) continue;
    Whole whole("ring:6");
    whole.start();
    ASSERT_TRUE(whole.settle());
    const sim::NodeIndex liar = whole.node(fmt::format("T-0{}", one));
    const Guid guid = whole.world->node(liar).guid;
    whole.world->set_guid(liar, whole.world->node(whole.node(fmt::format("T-0{}", other))).guid);
    whole.manager->ask_for_sweep("test");
    whole.run_for(seconds(30));
    EXPECT_TRUE(whole.has_problem("answers at two places")) << one << " as " << other;
    whole.world->set_guid(liar, guid);
    whole.manager->ask_for_sweep("test");
    whole.run_for(seconds(60));
    EXPECT_EQ(whole.faults(), "") << one << " as " << other;
  }
}

INSTANTIATE_TEST_SUITE_P(OfARing, DoubledSwitch, testing::Range(0, 6));

/// What a boot takes is given again, whoever was away when it happened.
class Boots : public testing::TestWithParam<const char*> {
 protected:
  Whole whole{GetParam()};

  std::vector<sim::NodeIndex> switches() const {
    std::vector<sim::NodeIndex> found;
    for (std::uint32_t n = 0; n < whole.world->node_count(); ++n)
      if (whole.world->is_switch(sim::NodeIndex{n})) found.push_back(sim::NodeIndex{n});
    return found;
  }
};

TEST_P(Boots, OfAllSwitchesWhileTheManagerIsAwayLeaveNothingOut) {
  whole.start();
  ASSERT_TRUE(whole.settle()) << whole.faults();
  const plan::Ledger kept = whole.store.ledger;
  whole.kill();
  for (const sim::NodeIndex node : switches()) whole.world->reboot(node);
  whole.start(kept);
  ASSERT_TRUE(whole.settle()) << whole.faults();
  EXPECT_EQ(whole.faults(), "");
}

TEST_P(Boots, OfOneSwitchWhileTheManagerIsAwayGiveItItsLanesAgain) {
  whole.start();
  ASSERT_TRUE(whole.settle()) << whole.faults();
  const plan::Ledger kept = whole.store.ledger;
  whole.kill();
  whole.world->reboot(switches().back());
  whole.start(kept);
  ASSERT_TRUE(whole.settle()) << whole.faults();
  EXPECT_EQ(whole.faults(), "");
}

TEST_P(Boots, InTheMiddleOfProgrammingAreFoundOut) {
  for (const mad::AttrId attribute :
       {mad::AttrId::linear_forwarding, mad::AttrId::sl_to_vl, mad::AttrId::port_info}) {
    for (const std::uint64_t after : {1u, 7u, 20u}) {
      SCOPED_TRACE(after);
      Whole one{GetParam()};
      one.start();
      const auto sent = [&] {
        return one.world->counters().total(
            {.node = {}, .mgmt_class = {}, .method = mad::Method::set, .attribute = attribute});
      };
      if (!one.run_until([&] { return sent() >= after; }, std::chrono::seconds(20)))
        continue;  // no lanes here
      for (std::uint32_t n = 0; n < one.world->node_count(); ++n)
        if (one.world->is_switch(sim::NodeIndex{n}) && n % 2 == 1)
          one.world->reboot(sim::NodeIndex{n}, std::chrono::milliseconds(300));
      one.run_for(std::chrono::seconds(8));
      ASSERT_TRUE(one.settle(std::chrono::seconds(8))) << one.faults();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(TreeAndDragonfly, Boots,
                         testing::Values("fat-tree:radix=8", "dragonfly:p=2,a=4,h=2,g=5"));

/// What is written while a cable moves may reach whoever is there now, and bring him up.
TEST(KeysOfAHostThatMoved, AreWrittenAgainThoughItIsUp) {
  Whole whole("fat-tree:radix=4,levels=2");
  const auto policy = "partitions: { define: { some: { key: 0x10, members: [ 'h0000*' ] } } }\n";
  Rival one(whole, whole.first_host, config::read_text(policy, "f").value().settings);
  const auto is_clean = [&one] {
    return !one.manager().sweeping() && !one.manager().sweeps().empty() &&
           one.manager().sweeps().back().clean;
  };
  ASSERT_TRUE(whole.run_until(is_clean, seconds(60)));
  one.freeze();
  const std::array<sim::NodeIndex, 2> moved{whole.node("h00002"), whole.node("h00007")};
  whole.world->swap_places(moved[0], moved[1]);
  whole.run_for(seconds(5));
  for (const sim::NodeIndex node : moved) {
    const sim::PortIndex port = whole.world->port_of(node, PortNum{1});
    whole.world->blocks(node).set(mad::AttrId::pkey_table, 1U << 16, mad::encode(mad::PkeyTable{}));
    for (const sim::PortIndex end : {port, whole.world->port(port).peer})
      whole.world->port(end).info.state = PortState::active;
  }
  one.thaw();
  whole.run_for(seconds(10));
  ASSERT_TRUE(whole.run_until(is_clean, seconds(60)));
  for (const sim::NodeIndex node : moved) {
    const sim::PortIndex port = whole.world->port_of(node, PortNum{1});
    EXPECT_TRUE(sim::pkey_index(*whole.world, port, Pkey{0x8010})) << whole.world->node(node).id;
  }
}

}  // namespace
}  // namespace weft::test
