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
