// Managers that share their state: who takes over goes on where the last one was, and the lock is a second
// fence.

#include <gtest/gtest.h>

#include "tests/whole/sa_client.h"
#include "tests/whole/shared_memory.h"
#include "tests/whole/whole.h"

namespace weft::test {
namespace {

using std::chrono::seconds;

constexpr const char* kSecondHost = "h00007";
constexpr Gid kSharedGroup{0xff12401bffff0000, 0x0000000000000707};
constexpr auto kIsMaster = daemon::State::master;

struct SharingPair {
  Whole whole{"fat-tree:radix=8"};
  SharedMemory memory;
  MemoryShared ours{memory, whole.store};
  MemoryStore unused;
  std::unique_ptr<MemoryShared> theirs;
  std::unique_ptr<Rival> rival;

  SharingPair() {
    whole.shared = &ours;
    whole.start();
    EXPECT_TRUE(whole.settle()) << whole.faults();
    theirs = std::make_unique<MemoryShared>(memory, unused);
    rival = std::make_unique<Rival>(whole, kSecondHost, config::Settings{}, plan::Ledger{}, theirs.get());
    rival->store.kept = unused.kept;
    EXPECT_TRUE(
        whole.run_until([this] { return rival->status().state == daemon::State::standby; }, seconds(5)));
  }
  ~SharingPair() { whole.kill(); }
  bool rival_becomes_master() {
    return whole.run_until([this] { return rival->status().state == kIsMaster; }, seconds(20));
  }
};

TEST(SharedState, ATakeOverLosesNoRegistrationAndAsksNobodyToRegisterAgain) {
  SharingPair pair;
  SaClient client(pair.whole, "h00003");
  ASSERT_EQ(client.join(kSharedGroup), 0);
  ASSERT_EQ(client.subscribe(66), 0);
  pair.whole.kill();
  ASSERT_TRUE(pair.rival_becomes_master());
  pair.whole.run_for(seconds(60));
  const plan::SaState& state = pair.rival->manager().sa().state();
  const auto group = state.groups.find(kSharedGroup);
  ASSERT_TRUE(group);
  EXPECT_TRUE(group->members.contains(client.guid()));
  EXPECT_TRUE(state.subscriptions.contains(client.guid()));
  EXPECT_EQ(pair.rival->manager().sa().reregistered(), 0u);
  EXPECT_EQ(*pair.rival->manager().ledger().lids, *pair.whole.store.ledger.lids);
  EXPECT_EQ(pair.whole.faults(), "");
}

TEST(SharedState, TellsWhoTakesOverWhatWasAskedOfLinks) {
  SharingPair pair;
  sim::World& world = *pair.whole.world;
  const sim::PortIndex closed = world.port_of(pair.whole.node("L1-02"), PortNum{5});
  const auto is_closed = [&] { return world.port(closed).info.phys == PhysState::disabled; };
  ASSERT_TRUE(
      pair.whole.manager->ask_upkeep({daemon::UpkeepVerb::disable, "L1-02/5", {}, false, "bad optics"}));
  ASSERT_TRUE(pair.whole.manager->ask_upkeep({daemon::UpkeepVerb::drain, "L2-01", {}, false, ""}));
  ASSERT_TRUE(pair.whole.run_until(is_closed, seconds(10)));
  const plan::Orders asked = *pair.whole.manager->ledger().orders;
  pair.whole.kill();
  ASSERT_TRUE(pair.rival_becomes_master());
  pair.whole.run_for(seconds(30));
  EXPECT_EQ(asked.size(), 2u);
  EXPECT_EQ(*pair.rival->manager().ledger().orders, asked);
  EXPECT_EQ(pair.rival->manager().upkeep_rows().size(), 2u);
  EXPECT_TRUE(is_closed());
  for (const daemon::Problem& one : pair.rival->status().problems)
    EXPECT_EQ(one.what.find("not by an order"), std::string::npos) << one.what;
  ASSERT_TRUE(pair.rival->manager().ask_upkeep({daemon::UpkeepVerb::enable, "L1-02/5", {}, false, ""}));
  EXPECT_TRUE(pair.whole.run_until([&] { return !is_closed(); }, seconds(10)));
}

TEST(SharedState, ThatIsAwayAtATakeOverIsNotMissedButAllRegisterAgain) {
  SharingPair pair;
  pair.memory.away = true;
  pair.whole.kill();
  ASSERT_TRUE(pair.rival_becomes_master());
  pair.whole.run_for(seconds(60));
  EXPECT_EQ(pair.rival->manager().sa().reregistered(), 32u);
  EXPECT_EQ(pair.whole.faults(), "");
}

TEST(SharedState, WhoseLockAnotherHoldsKeepsAManagerFromWriting) {
  Whole whole("fat-tree:radix=4,levels=2");
  SharedMemory memory;
  MemoryShared ours(memory, whole.store);
  whole.shared = &ours;
  memory.owner = &memory;
  whole.start();
  whole.run_for(seconds(30));
  EXPECT_EQ(whole.sets(), 0u);
  EXPECT_NE(whole.status().state, kIsMaster);
  EXPECT_NE(whole.status().text.find("held by another"), std::string::npos) << whole.status().text;
  memory.owner = nullptr;
  EXPECT_TRUE(whole.settle()) << whole.faults();
  EXPECT_EQ(whole.status().state, kIsMaster);
  whole.kill();
}

TEST(SharedState, IsUnlockedByAManagerWhoseOwnLinkIsDown) {
  SharingPair pair;
  sim::World& world = *pair.whole.world;
  world.cut_link(pair.whole.node(pair.whole.first_host), PortNum{1});
  EXPECT_TRUE(pair.rival_becomes_master());
  EXPECT_EQ(pair.memory.owner, pair.theirs.get());
}

TEST(SharedState, WhoseLockIsLostStopsAMasterAtOnce) {
  Whole whole("fat-tree:radix=4,levels=2");
  SharedMemory memory;
  MemoryShared ours(memory, whole.store);
  whole.shared = &ours;
  whole.start();
  ASSERT_TRUE(whole.settle());
  SaClient client(whole, "h00003");
  ASSERT_EQ(client.join(kSharedGroup), 0);
  const std::uint64_t sets = whole.sets();
  ours.lose(&memory);
  EXPECT_FALSE(client.join({kSharedGroup[0], 0x708})) << "nothing is confirmed";
  whole.run_for(seconds(30));
  EXPECT_EQ(whole.sets(), sets);
  EXPECT_NE(whole.status().state, kIsMaster);
  memory.owner = nullptr;
  ASSERT_TRUE(whole.run_until([&] { return whole.status().state == kIsMaster; }, seconds(30)));
  whole.run_for(seconds(30));
  EXPECT_EQ(whole.manager->sa().reregistered(), 0u) << "nobody else has written";
  EXPECT_TRUE(whole.manager->sa().state().groups.contains(kSharedGroup));
  whole.kill();
}

}  // namespace
}  // namespace weft::test
