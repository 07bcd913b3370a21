// What the daemon tells of a fabric that is not whole: parts that are missing, other ways taken, nodes that
// are mute.

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/whole/whole.h"

namespace weft::test {
namespace {

constexpr Duration kAMinute = std::chrono::minutes(1);

std::size_t events_of(const Whole& whole, std::string_view kind) {
  const auto events = whole.events->after(0, 10'000);
  return static_cast<std::size_t>(std::ranges::count(events, kind, &daemon::Event::kind));
}

TEST(MissingParts, AreToldUntilTheyComeBack) {
  Whole whole("fat-tree:radix=8,levels=3");
  whole.start();
  ASSERT_TRUE(whole.settle());
  EXPECT_EQ(whole.status().text, "the fabric is as planned");
  EXPECT_EQ(events_of(whole, "rerouted"), 0u);
  const sim::NodeIndex leaf = whole.node("L1-00-00");
  whole.world->cut_link(leaf, PortNum{8});
  ASSERT_TRUE(whole.run_until([&] { return !whole.status().missing.empty(); }, kAMinute));
  ASSERT_TRUE(whole.settle());
  ASSERT_EQ(whole.status().missing.size(), 1u);
  EXPECT_NE(whole.status().missing[0].find("L1-00-00 "), std::string::npos) << whole.status().missing[0];
  EXPECT_EQ(whole.status().text, "what is there is as planned; 1 part missing that was there before");
  EXPECT_EQ(events_of(whole, "rerouted"), 1u);
  whole.world->mend_link(leaf, PortNum{8});
  ASSERT_TRUE(whole.run_until([&] { return whole.status().missing.empty(); }, kAMinute));
  ASSERT_TRUE(whole.settle());
  EXPECT_EQ(whole.status().text, "the fabric is as planned");
  EXPECT_EQ(events_of(whole, "rerouted"), 2u);
}

TEST(MissingParts, AreForgottenWhenTheFabricIsAcceptedAsItIs) {
  Whole whole("fat-tree:radix=8,levels=3");
  whole.start();
  ASSERT_TRUE(whole.settle());
  const std::size_t designed = whole.store.ledger.design->ports.size();
  whole.world->cut_link(whole.node("L1-00-00"), PortNum{8});
  ASSERT_TRUE(whole.run_until([&] { return !whole.status().missing.empty(); }, kAMinute));
  ASSERT_TRUE(whole.settle());
  EXPECT_EQ(whole.store.ledger.design->ports.size(), designed);
  whole.manager->accept();
  ASSERT_TRUE(whole.run_until(
      [&] { return whole.store.ledger.design && whole.store.ledger.design->ports.size() == designed - 2; },
      kAMinute));
  EXPECT_TRUE(whole.run_until([&] { return whole.status().text == "the fabric is as planned"; }, kAMinute))
      << whole.status().text;
  EXPECT_EQ(whole.faults(), "");
}

TEST(MissingParts, AreForgottenAlsoWhenThatIsSaidInTheMiddleOfASweep) {
  Whole whole("fat-tree:radix=8,levels=3");
  whole.start();
  ASSERT_TRUE(whole.settle());
  whole.world->cut_link(whole.node("L1-00-00"), PortNum{8});
  ASSERT_TRUE(whole.run_until([&] { return !whole.status().missing.empty(); }, kAMinute));
  ASSERT_TRUE(whole.settle());
  whole.manager->ask_for_sweep("test");
  ASSERT_TRUE(whole.run_until(
      [&] { return whole.status().progress && whole.status().progress->phase == "discovery"; }, kAMinute));
  whole.manager->accept();
  EXPECT_TRUE(whole.run_until([&] { return whole.status().text == "the fabric is as planned"; }, kAMinute));
  whole.run_for(kAMinute);
  EXPECT_EQ(whole.status().text, "the fabric is as planned");
}

/// A state file with the LIDs of two hosts exchanged, imported in each phase of a sweep.
class ImportedLids : public testing::TestWithParam<const char*> {};

TEST_P(ImportedLids, AreUsedAlsoWhenTheyComeInTheMiddleOfASweep) {
  Whole whole("fat-tree:radix=8,levels=3");
  whole.start();
  ASSERT_TRUE(whole.settle());
  plan::Ledger ledger = whole.manager->ledger();
  auto lids = std::make_shared<plan::LidMap>(*ledger.lids);
  const auto port = [&](const char* host) { return whole.world->port_of(whole.node(host), PortNum{1}); };
  const auto guid = [&](const char* host) { return whole.world->port(port(host)).guid; };
  std::swap(lids->at(guid("h00005")), lids->at(guid("h00006")));
  ledger.lids = lids;
  whole.world->cut_link(whole.node("L1-00-00"), PortNum{8});  // so that there is something to write
  whole.manager->ask_for_sweep("test");
  const std::string_view wanted = GetParam();
  ASSERT_TRUE(whole.run_until(
      [&] {
        const auto& progress = whole.status().progress;
        return wanted.empty() ? !progress : progress && progress->phase == wanted;
      },
      kAMinute));
  whole.manager->import_ledger(ledger);
  EXPECT_EQ(*whole.manager->ledger().lids, *lids) << "an export tells them at once";
  whole.run_for(kAMinute);
  EXPECT_EQ(*whole.manager->ledger().lids, *lids);
  EXPECT_EQ(*whole.store.ledger.lids, *lids);
  EXPECT_EQ(whole.world->port(port("h00005")).info.lid, lids->at(guid("h00005")).base);
  EXPECT_EQ(whole.faults(), "");
}

INSTANTIATE_TEST_SUITE_P(Phases, ImportedLids,
                         testing::Values("", "discovery", "read-back", "planning", "forwarding"));

std::string text_of(const Whole& whole, std::string_view kind) {
  const auto events = whole.events->after(0, 10'000);
  const auto found = std::ranges::find(events, kind, &daemon::Event::kind);
  return found == events.end() ? std::string() : found->text;
}

TEST(Flap, OfATrunkThatIsBackBeforeWeLookIsToldWithBothEnds) {
  Whole whole("fat-tree:radix=8,levels=3");
  whole.start();
  ASSERT_TRUE(whole.settle());
  const sim::NodeIndex leaf = whole.node("L1-00-00");
  whole.world->cut_link(leaf, PortNum{8});
  whole.world->mend_link(leaf, PortNum{8});
  whole.run_for(std::chrono::seconds(30));
  ASSERT_EQ(whole.faults(), "");
  ASSERT_EQ(events_of(whole, "link_flapped"), 1u);
  const std::string text = text_of(whole, "link_flapped");
  EXPECT_NE(text.find("L1-00-00"), std::string::npos) << text;
  EXPECT_NE(text.find("port 8"), std::string::npos) << text;
  EXPECT_NE(text.find(") port"), text.rfind(") port")) << "both ends: " << text;
  EXPECT_EQ(events_of(whole, "rerouted"), 0u);
}

TEST(Reboot, OfASwitchIsToldAndIsNoOtherWay) {
  Whole whole("fat-tree:radix=8,levels=3");
  whole.start();
  ASSERT_TRUE(whole.settle());
  whole.world->reboot(whole.node("L2-01-00"));
  whole.run_for(std::chrono::seconds(30));
  ASSERT_EQ(whole.faults(), "");
  EXPECT_EQ(events_of(whole, "switch_rebooted"), 1u);
  EXPECT_NE(text_of(whole, "switch_rebooted").find("L2-01-00"), std::string::npos);
  EXPECT_EQ(events_of(whole, "link_flapped"), 0u) << text_of(whole, "link_flapped");
  EXPECT_EQ(events_of(whole, "rerouted"), 0u) << text_of(whole, "rerouted");
}

TEST(NewHost, IsNoOtherWayOfTraffic) {
  Whole whole("fat-tree:radix=8,levels=3");
  whole.world->power_off(whole.node("h00011"));  // its leaf's last: no other is numbered anew
  whole.start();
  whole.run_for(std::chrono::seconds(20));
  whole.world->power_on(whole.node("h00011"));
  whole.run_for(std::chrono::seconds(30));
  ASSERT_EQ(whole.faults(), "");
  EXPECT_EQ(events_of(whole, "node_new"), 1u);
  EXPECT_EQ(events_of(whole, "rerouted"), 0u) << text_of(whole, "rerouted");
}

TEST(GoneHost, IsToldWithThePlaceWhereItHung) {
  Whole whole("fat-tree:radix=8,levels=3");
  whole.start();
  ASSERT_TRUE(whole.settle());
  whole.world->power_off(whole.node("h00009"));
  whole.run_for(std::chrono::seconds(30));
  const std::string text = text_of(whole, "node_gone");
  EXPECT_NE(text.find("is gone; it hung on "), std::string::npos) << text;
}

TEST(OwnLink, ThatIsDownIsToldAndThatItIsBack) {
  Whole whole("fat-tree:radix=8");
  whole.start();
  ASSERT_TRUE(whole.settle());
  const sim::NodeIndex own = whole.node(whole.first_host);
  whole.world->cut_link(own, PortNum{1});
  whole.run_for(std::chrono::seconds(30));
  EXPECT_EQ(events_of(whole, "own_link_down"), 1u);
  EXPECT_NE(whole.status().text.find("as the last good sweep left it"), std::string::npos)
      << whole.status().text;
  whole.world->mend_link(own, PortNum{1});
  whole.run_for(std::chrono::seconds(30));
  EXPECT_EQ(events_of(whole, "own_port_back"), 1u);
  EXPECT_EQ(whole.faults(), "");
}

TEST(RefusedBlocks, AreEventsOnce) {
  Whole whole("fat-tree:radix=8");
  bool refuses = true;
  whole.world->forge(whole.node("L2-01"), mad::AttrId::linear_forwarding,
                     [&](mad::Smp&) { return !refuses; });
  whole.start();
  whole.run_for(std::chrono::seconds(20));
  EXPECT_GE(events_of(whole, "block_not_written"), 1u);
  const std::size_t told = events_of(whole, "block_not_written");
  whole.run_for(std::chrono::seconds(20));
  EXPECT_EQ(events_of(whole, "block_not_written"), told);
}

TEST(Orders, AreEvents) {
  Whole whole("fat-tree:radix=8");
  whole.start();
  ASSERT_TRUE(whole.settle());
  whole.manager->accept();
  whole.run_for(std::chrono::seconds(5));
  EXPECT_EQ(events_of(whole, "accepted"), 1u);
  whole.manager->import_ledger(whole.manager->ledger());
  whole.run_for(std::chrono::seconds(5));
  EXPECT_EQ(events_of(whole, "state_imported"), 2u);  // LIDs, and registrations
}

plan::Ledger told_of(std::initializer_list<std::pair<std::uint64_t, unsigned>> groups) {
  plan::Ledger ledger;
  ledger.lids = std::make_shared<plan::LidMap>();
  for (const auto& [number, mlid] : groups) {
    plan::McGroup group;
    group.mgid = {0xff12401bffff0000, number};
    group.mlid = static_cast<Lid>(mlid);
    group.pkey = Pkey{0xffff};
    group.mtu = Mtu::mtu2048;
    group.rate = 3;
    group.members.set(Guid{7}, {{kLinkLocalPrefix, 7}, 1, false});  // away, and waited for
    ledger.sa.groups = ledger.sa.groups.with(std::move(group));
  }
  return ledger;
}

TEST(ImportedRegistrations, OfTwoStatesWaitForTheFirstViewTogether) {
  Whole whole("fat-tree:radix=8");
  whole.start();
  EXPECT_FALSE(whole.manager->import_ledger(told_of({{0x101, 0xc101}})));
  EXPECT_FALSE(whole.manager->import_ledger(told_of({{0x102, 0xc102}, {0x103, 0xc101}})));
  EXPECT_NE(text_of(whole, "state_imported").find("left out of an imported state"), std::string::npos);
  ASSERT_TRUE(whole.settle());
  const plan::McGroups& groups = whole.manager->sa().state().groups;
  EXPECT_TRUE(groups.contains({0xff12401bffff0000, 0x101}));
  EXPECT_TRUE(groups.contains({0xff12401bffff0000, 0x102}));
}

TEST(ImportedRegistrations, ThatAreLeftOutAreTold) {
  Whole whole("fat-tree:radix=8");
  whole.start();
  ASSERT_TRUE(whole.settle());
  ASSERT_TRUE(whole.manager->import_ledger(told_of({{0x101, 0xc101}})));
  const auto taken = whole.manager->import_ledger(told_of({{0x102, 0xc101}, {0x103, 0xc103}}));
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->taken.groups, 1u);
  ASSERT_EQ(taken->left_out.size(), 1u);
  const auto events = whole.events->after(0, 10'000);
  EXPECT_TRUE(std::ranges::any_of(events, [&](const daemon::Event& event) {
    return event.kind == "state_imported" &&
           event.text.find("left out: " + taken->left_out.front()) != event.text.npos;
  }));
}

TEST(Waiting, EndsWithAnEvent) {
  Whole whole("fat-tree:radix=8");
  auto rival = std::make_unique<Rival>(whole, "h00007");
  whole.run_for(std::chrono::seconds(5));
  whole.start();
  whole.run_for(std::chrono::seconds(10));
  ASSERT_EQ(whole.status().state, daemon::State::standby);
  EXPECT_EQ(events_of(whole, "other_master"), 1u);
  rival.reset();
  whole.run_for(std::chrono::seconds(30));
  EXPECT_EQ(whole.status().state, daemon::State::master);
  EXPECT_EQ(events_of(whole, "became_master"), 1u);
}

TEST(MuteSwitch, IsOneProblemWithItsNameOnceItIsKnown) {
  Whole whole("fat-tree:radix=8,levels=3");
  whole.bring_up();
  ASSERT_EQ(whole.faults(), "");
  whole.world->set_mute(whole.node("L2-01-00"), sim::Mute::smi);
  whole.bring_up();
  const daemon::Status status = whole.status();
  ASSERT_EQ(status.problems.size(), 1u);
  EXPECT_NE(status.problems[0].what.find("L2-01-00"), std::string::npos) << status.problems[0].what;
  EXPECT_NE(status.problems[0].what.find("does not answer; asked behind "), std::string::npos);
  EXPECT_NE(status.problems[0].node, Guid{});
}

}  // namespace
}  // namespace weft::test
