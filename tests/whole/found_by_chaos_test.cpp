// What the storm of chaos has found, each as a small case of its own; and seeds, as long as they still lead
// there.

#include <gtest/gtest.h>

#include "config/read.h"
#include "tests/whole/chaos.h"
#include "tests/whole/sa_client.h"

namespace weft::test {
namespace {

using std::chrono::seconds;

constexpr Gid kFoundGroup{0xff12401bffff0000, 0x0000000000000909};

/// A master with one client that has joined, and a standby.
struct MasterAndStandby {
  Whole whole{"fat-tree:radix=4"};
  SharedMemory memory;
  std::unique_ptr<MemoryShared> ours;
  std::unique_ptr<MemoryShared> theirs;
  std::unique_ptr<Rival> standby;
  std::unique_ptr<SaClient> client;

  explicit MasterAndStandby(bool shares) {
    if (shares) {
      ours = std::make_unique<MemoryShared>(memory, whole.store);
      theirs = std::make_unique<MemoryShared>(memory);
      whole.shared = ours.get();
    }
    whole.start();
    EXPECT_TRUE(whole.settle()) << whole.faults();
    standby = std::make_unique<Rival>(whole, "h00007", config::Settings{}, plan::Ledger{}, theirs.get());
    if (shares) theirs->follow(standby->store);
    client = std::make_unique<SaClient>(whole, "h00003");
    EXPECT_TRUE(whole.run_until([this] { return is_standby(); }, seconds(10)));
    EXPECT_EQ(client->join(kFoundGroup), 0);
  }
  ~MasterAndStandby() {
    standby.reset();
    whole.kill();
  }
  bool is_standby() const { return standby->status().state == daemon::State::standby; }
  bool is_master() const { return standby->status().state == daemon::State::master; }
  void hand_over() {
    whole.run_for(seconds(20));
    EXPECT_TRUE(whole.manager->hand_over({})) << "no standby is known";
    EXPECT_TRUE(whole.run_until([this] { return is_master(); }, seconds(10)));
    whole.run_for(seconds(20));
  }
  bool knows_the_member() const {
    const auto group = standby->manager().sa().state().groups.find(kFoundGroup);
    return group && group->members.contains(client->guid());
  }
};

/// Who was handed mastership took over nothing: it was master already when it looked.
TEST(FoundByChaos, WhoIsHandedMastershipHasClientsRegisterAgain) {
  MasterAndStandby pair(false);
  pair.hand_over();
  EXPECT_EQ(pair.standby->manager().sa().reregistered(), 8u);
}

TEST(FoundByChaos, WhoIsHandedMastershipTakesTheLockAndTheSharedState) {
  MasterAndStandby pair(true);
  pair.hand_over();
  EXPECT_TRUE(pair.theirs->owns());
  EXPECT_TRUE(pair.knows_the_member());
  EXPECT_EQ(pair.standby->manager().sa().reregistered(), 0u);
}

/// A host that was cut off when another manager took over was never told to register again.
TEST(FoundByChaos, WhoWasAwayAtATakeOverRegistersAgainToo) {
  MasterAndStandby pair(false);
  Whole& whole = pair.whole;
  const sim::Port& port = whole.world->port(pair.client->port());
  whole.world->cut_link(port.node, port.number);
  whole.kill();
  ASSERT_TRUE(whole.run_until([&] { return pair.is_master(); }, seconds(30)));
  whole.run_for(seconds(20));
  const std::uint64_t before = pair.standby->manager().sa().reregistered();
  whole.world->mend_link(port.node, port.number);
  whole.run_for(seconds(20));
  EXPECT_EQ(pair.standby->manager().sa().reregistered(), before + 1);
  // Once is enough; and who has booted knows by himself that it has not registered.
  whole.world->reboot(port.node, seconds(2));
  whole.run_for(seconds(20));
  EXPECT_EQ(pair.standby->manager().sa().reregistered(), before + 1);
}

/// A part of the fabric that was cut off had another master for a while; who had registered there was not
/// told to do it again.
TEST(FoundByChaos, WhoHadAnotherMasterWhileCutOffRegistersAgain) {
  MasterAndStandby pair(false);
  Whole& whole = pair.whole;
  // The standby's leaf alone, with the client and everything on it.
  const sim::NodeIndex leaf =
      whole.world->port(whole.world->port(whole.world->port_of(whole.node("h00007"), PortNum{1})).peer).node;
  SaClient there(whole, "h00006");
  ASSERT_EQ(whole.world->port(whole.world->port(there.port()).peer).node, leaf);
  std::vector<PortNum> trunks;
  for (std::uint8_t p = 1; p <= whole.world->node(leaf).port_count; ++p) {
    const sim::PortIndex peer = whole.world->port(whole.world->port_of(leaf, PortNum{p})).peer;
    if (peer != sim::kNoPort && whole.world->is_switch(whole.world->port(peer).node))
      trunks.push_back(PortNum{p});
  }
  for (const PortNum port : trunks) whole.world->cut_link(leaf, port);
  ASSERT_TRUE(whole.run_until([&] { return pair.is_master(); }, seconds(30)));
  whole.run_for(seconds(30));
  ASSERT_EQ(there.join(kFoundGroup), 0);
  const std::uint64_t before = whole.manager->sa().reregistered();
  for (const PortNum port : trunks) whole.world->mend_link(leaf, port);
  whole.run_for(seconds(60));
  ASSERT_EQ(whole.status().state, daemon::State::master);
  ASSERT_TRUE(pair.is_standby());
  EXPECT_GE(whole.manager->sa().reregistered(), before + 2) << "h00006 and h00007";
}

/// Who was taken out of a partition lost his groups there without a word; when he was back in it before he
/// had noticed, he went on believing that he was a member.
TEST(FoundByChaos, WhoIsOutOfAPartitionForAMomentRegistersAgain) {
  const auto with = [](std::string_view members) {
    const auto loaded = config::read_text(
        fmt::format("partitions:\n  define:\n    everybody: {{ key: 0x7fff, members: [ {{ all: full }} ] }}\n"
                    "    part: {{ key: 0x20, members: [ {} ] }}\n",
                    members),
        "test.yaml");
    EXPECT_TRUE(loaded.has_value());
    return loaded->settings;
  };
  const config::Settings in = with(R"({ "h00003*": full }, { "h00005*": full })");
  const config::Settings out = with(R"({ "h00005*": full })");
  Whole whole("fat-tree:radix=4");
  whole.start({}, in);
  ASSERT_TRUE(whole.settle()) << whole.faults();
  ChaosClient client(whole, whole.node("h00003"));
  client.want({ChaosClient::Kind::group, 1, Pkey{0x8020}});
  ASSERT_TRUE(whole.run_until([&] { return client.confirmed().size() == 1; }, seconds(5)));
  const std::uint64_t told = client.toll().registered;
  for (const config::Settings* settings : {&out, &in}) {
    whole.manager->reconfigure(std::make_shared<const config::Settings>(*settings));
    whole.run_for(seconds(2));
  }
  EXPECT_EQ(client.toll().registered, told + 1);
  EXPECT_TRUE(client.idle());
  EXPECT_EQ(client.lost(whole.manager->sa().state()), "");
}

/// A node that did not answer by one of its links alone was known by the others: that link stayed away until
/// something else happened.
TEST(FoundByChaos, ALinkBehindWhichNobodyAnsweredOnceComesBack) {
  Whole whole("fat-tree:radix=4");
  whole.start();
  ASSERT_TRUE(whole.settle()) << whole.faults();
  const sim::NodeIndex spine = whole.node("L2-00");
  const sim::PortIndex port = whole.world->port_of(spine, PortNum{1});
  whole.network->conditions().set_link(*whole.world, port, {.loss = 1});
  whole.manager->ask_for_sweep("test");
  whole.run_for(seconds(200));
  ASSERT_FALSE(whole.manager->sweeps().back().clean);
  whole.network->conditions().set_link(*whole.world, port, {});
  EXPECT_TRUE(whole.settle(seconds(60))) << whole.faults();
}

/// Two hosts change places while their ports are still to be told to register again: what was meant for the
/// one gave its LID to the other.
TEST(FoundByChaos, AWishToRegisterAgainThatGoesAstrayMovesNoLid) {
  for (const char* fabric : {"torus:3,3", "dragonfly:p=1,a=3,h=1"}) {
    Chaos chaos(fabric, 11, {});
    ASSERT_EQ(chaos.warm_up(), "");
    EXPECT_EQ(chaos.run_events(8), "");
  }
}

}  // namespace
}  // namespace weft::test
