// Multicast end to end: hosts join by the SA, and packets go to all who receive, and to nobody else.

#include <gtest/gtest.h>

#include <set>

#include "sa/multicast.h"
#include "sim/probe.h"
#include "tests/whole/sa_client.h"

namespace weft::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const Gid kBroadcast = sa::ipoib_broadcast(Pkey{0xffff});
const Gid kOther{0xff12401bffff0000, 0x0000000000000101};

/// Where a packet to a group arrives. `senders`: there are switches with nobody but senders; it ends there.
std::set<sim::PortIndex> heard(Whole& whole, const SaClient& from, Lid mlid, bool senders = false) {
  const sim::Probed probed = sim::send_probe(*whole.world, {.from = from.port(), .to = mlid});
  EXPECT_TRUE(senders || probed.drop == sim::Drop::none) << sim::describe(*whole.world, probed);
  EXPECT_EQ(std::set(probed.arrived.begin(), probed.arrived.end()).size(), probed.arrived.size()) << "twice";
  return {probed.arrived.begin(), probed.arrived.end()};
}

struct Party {
  explicit Party(std::string_view blueprint, std::vector<std::string> hosts = {"h00003", "h00009", "h00020"})
      : whole(blueprint) {
    EXPECT_TRUE(whole.bring_up(3).clean);
    for (const std::string& host : hosts) clients.push_back(std::make_unique<SaClient>(whole, host));
  }
  SaClient& operator[](std::size_t i) { return *clients[i]; }
  bool settle(Duration limit = seconds(5)) {
    return whole.run_until([this] { return whole.manager->multicast().settled(); }, limit);
  }
  std::set<sim::PortIndex> all_but(std::size_t out) {
    std::set<sim::PortIndex> ports;
    for (std::size_t i = 0; i < clients.size(); ++i)
      if (i != out) ports.insert(clients[i]->port());
    return ports;
  }

  Whole whole;
  std::vector<std::unique_ptr<SaClient>> clients;
};

TEST(Multicast, ReachesEveryMemberOnceFromEveryMember) {
  for (const char* blueprint : {"fat-tree:radix=8,levels=3", "ring:6"}) {
    SCOPED_TRACE(blueprint);
    Party party(blueprint, std::string_view(blueprint) == "ring:6"
                               ? std::vector<std::string>{"h00001", "h00003", "h00005"}
                               : std::vector<std::string>{"h00003", "h00009", "h00100"});
    for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(party[i].join(kBroadcast), 0);
    ASSERT_TRUE(party.settle());
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(heard(party.whole, party[i], party[i].joined.mlid), party.all_but(i)) << i;
  }
}

TEST(Multicast, ClosesNoCreditLoopBesideADragonfly) {
  for (const char* blueprint :
       {"dragonfly:p=2,a=6,h=2,g=9", "dragonfly+:leaves=3,spines=3,hosts=4,globals=2,groups=5"}) {
    SCOPED_TRACE(blueprint);
    Party party(blueprint, {"h00001", "h00009", "h00020", "h00033", "h00047"});
    ASSERT_TRUE(party.whole.manager->view()->plan->routes().lanes);
    for (std::size_t i = 0; i < 5; ++i) {
      ASSERT_EQ(party[i].join(kBroadcast), 0);
      ASSERT_EQ(party[i].join(kOther), 0);
    }
    ASSERT_TRUE(party.settle());
    for (std::size_t i = 0; i < 5; ++i)
      EXPECT_EQ(heard(party.whole, party[i], party[i].joined.mlid), party.all_but(i)) << i;
    EXPECT_EQ(sim::credit_loop(*party.whole.world), std::nullopt);  // branches of groups included
  }
}

TEST(Multicast, LeavesOutWhoHasLeftAndWhoOnlySends) {
  Party party("fat-tree:radix=8");
  for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(party[i].join(kBroadcast, i == 2 ? 8 : 1), 0);
  ASSERT_TRUE(party.settle());
  const Lid mlid = party[0].joined.mlid;
  EXPECT_EQ(heard(party.whole, party[2], mlid), (std::set{party[0].port(), party[1].port()}));
  EXPECT_EQ(heard(party.whole, party[0], mlid, true), std::set{party[1].port()});
  ASSERT_EQ(party[1].leave(kBroadcast), 0);
  ASSERT_TRUE(party.settle());
  EXPECT_EQ(heard(party.whole, party[2], mlid), std::set{party[0].port()});
}

TEST(Multicast, WritesOnlyWhatChangesAndMergesJoins) {
  Party party("fat-tree:radix=8,levels=3", {"h00003"});
  ASSERT_EQ(party[0].join(kBroadcast), 0);
  ASSERT_TRUE(party.settle());
  const auto before = party.whole.manager->multicast().counts();
  std::vector<std::unique_ptr<SaClient>> more;
  for (int i = 10; i < 60; ++i)
    more.push_back(std::make_unique<SaClient>(party.whole, fmt::format("h{:05}", i)));
  for (const auto& client : more) {
    mad::McMemberRecord record;
    record.mgid = kBroadcast;
    record.port_gid = client->gid();
    record.join_state = 1;
    mad::Mad mad = client->request(mad::Method::set, mad::SaAttr::mc_member_record,
                                   sa::bit(0) | sa::bit(1) | sa::bit(16));
    mad::encode_into(std::span<std::uint8_t>(mad.bytes).subspan(mad::kSaDataAt), record);
    client->send(mad);
  }
  ASSERT_TRUE(party.whole.run_until(
      [&] { return party.whole.store.ledger.sa.groups.find(kBroadcast)->members.size() == 51; }, seconds(5)));
  ASSERT_TRUE(party.settle());
  const auto after = party.whole.manager->multicast().counts();
  EXPECT_LE(after.updates - before.updates, 2u) << "fifty joins at once";
  EXPECT_LE(after.blocks_written - before.blocks_written, 2 * party.whole.world->node_count());
  EXPECT_EQ(after.failed, 0u);
  EXPECT_EQ(heard(party.whole, party[0], party[0].joined.mlid).size(), 50u);
}

TEST(Multicast, ComesBackAfterALinkAndASwitchAreLost) {
  Party party("fat-tree:radix=8", {"h00003", "h00009", "h00020", "h00030"});
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(party[i].join(kBroadcast), 0);
  ASSERT_TRUE(party.settle());
  const Lid mlid = party[0].joined.mlid;
  // A link that the tree uses.
  const sim::Probed probed = sim::send_probe(*party.whole.world, {.from = party[0].port(), .to = mlid});
  ASSERT_GT(probed.hops.size(), 2u);
  const sim::Port& out = party.whole.world->port(probed.hops[1].out);
  party.whole.world->cut_link(out.node, out.number);
  ASSERT_TRUE(party.whole.settle(seconds(60)));
  ASSERT_TRUE(party.settle());
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(heard(party.whole, party[i], mlid), party.all_but(i)) << i;
}

TEST(Multicast, ARestartKeepsGroupsAndWritesNothing) {
  Party party("fat-tree:radix=8");
  for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(party[i].join(i == 1 ? kOther : kBroadcast), 0);
  ASSERT_EQ(party[0].join(kOther), 0);
  const Lid mlid = party[0].joined.mlid;
  ASSERT_TRUE(party.settle());
  party.whole.kill();
  const std::uint64_t sets = party.whole.sets();
  party.whole.start(party.whole.store.ledger);
  ASSERT_TRUE(party.whole.settle(seconds(60)));
  party.whole.run_for(seconds(5));
  EXPECT_EQ(party.whole.sets(), sets) << "neither a table nor ClientReregister";
  EXPECT_EQ(party.whole.manager->multicast().counts().blocks_written, 0u);
  EXPECT_EQ(heard(party.whole, party[0], mlid), std::set{party[1].port()});
  ASSERT_EQ(party[1].join(kOther), 0);
  EXPECT_EQ(party[1].joined.mlid, mlid) << "clients remember it";
}

TEST(Multicast, SwitchesThatHaveATopAreToldIt) {
  Whole whole("fat-tree:radix=8");
  sim::Settings modern = whole.world->settings();
  modern.multicast_fdb_top = true;
  for (std::uint32_t n = 0; n < whole.world->node_count(); ++n) {
    whole.world->equip(sim::NodeIndex{n}, modern);
    whole.world->reboot(sim::NodeIndex{n});
  }
  ASSERT_TRUE(whole.bring_up(3).clean);
  SaClient a(whole, "h00003");
  SaClient b(whole, "h00020");
  ASSERT_EQ(a.join(kBroadcast), 0);
  ASSERT_EQ(b.join(kBroadcast), 0);
  ASSERT_TRUE(whole.run_until([&] { return whole.manager->multicast().settled(); }, seconds(5)));
  EXPECT_EQ(heard(whole, a, a.joined.mlid), std::set{b.port()});
}

std::uint64_t mft_packets(const Whole& whole, mad::Method method) {
  return whole.world->counters().total(
      {.mgmt_class = {}, .method = method, .attribute = mad::AttrId::multicast_forwarding});
}

TEST(MulticastTables, AreNeitherWrittenNorReadBackByARestart) {
  Whole whole("fat-tree:radix=8");
  ASSERT_TRUE(whole.bring_up(3).clean);
  SaClient one(whole, "h00003");
  SaClient two(whole, "h00020");
  ASSERT_EQ(one.join(sa::ipoib_broadcast(Pkey{0xffff})), 0);
  ASSERT_EQ(two.join(sa::ipoib_broadcast(Pkey{0xffff})), 0);
  whole.run_for(seconds(5));
  EXPECT_FALSE(whole.store.ledger.multicast->empty());
  const std::uint64_t sets = whole.sets();
  const std::uint64_t reads = mft_packets(whole, mad::Method::get);
  whole.kill();
  whole.start(whole.store.ledger);
  ASSERT_TRUE(whole.settle());
  whole.run_for(seconds(30));
  EXPECT_EQ(whole.sets(), sets);
  EXPECT_EQ(mft_packets(whole, mad::Method::get), reads);
  // What it believes is so: the next join finds its tree.
  SaClient three(whole, "h00010");
  ASSERT_EQ(three.join(sa::ipoib_broadcast(Pkey{0xffff})), 0);
  whole.run_for(seconds(5));
  const Lid mlid = three.joined.mlid;
  const sim::Probed probed = sim::send_probe(*whole.world, {.from = three.port(), .to = mlid});
  EXPECT_EQ(probed.arrived.size(), 2u);
}

TEST(MulticastTables, OfASwitchThatBootedMeanwhileAreReadAndWritten) {
  Whole whole("fat-tree:radix=8");
  ASSERT_TRUE(whole.bring_up(3).clean);
  SaClient one(whole, "h00003");
  SaClient two(whole, "h00020");
  ASSERT_EQ(one.join(sa::ipoib_broadcast(Pkey{0xffff})), 0);
  ASSERT_EQ(two.join(sa::ipoib_broadcast(Pkey{0xffff})), 0);
  whole.run_for(seconds(5));
  const Lid mlid = two.joined.mlid;
  whole.kill();
  for (std::uint32_t n = 0; n < whole.world->node_count(); ++n)
    if (whole.world->node(sim::NodeIndex{n}).type == NodeType::switch_)
      whole.world->reboot(sim::NodeIndex{n}, seconds(1));
  whole.run_for(seconds(2));
  whole.start(whole.store.ledger);
  ASSERT_TRUE(whole.settle());
  whole.run_for(seconds(10));
  EXPECT_EQ(sim::send_probe(*whole.world, {.from = one.port(), .to = mlid}).arrived.size(), 1u);
}

TEST(MulticastTables, AreVoidOnDiskBeforeOneIsWritten) {
  Whole whole("fat-tree:radix=8");
  ASSERT_TRUE(whole.bring_up(3).clean);
  SaClient one(whole, "h00003");
  SaClient two(whole, "h00020");
  ASSERT_EQ(one.join(sa::ipoib_broadcast(Pkey{0xffff})), 0);
  whole.run_for(seconds(5));
  ASSERT_FALSE(whole.store.ledger.multicast->empty());
  const std::uint64_t before = mft_packets(whole, mad::Method::set);
  ASSERT_EQ(two.join(sa::ipoib_broadcast(Pkey{0xffff})), 0);
  ASSERT_TRUE(whole.run_until([&] { return mft_packets(whole, mad::Method::set) > before; }, seconds(5)));
  EXPECT_TRUE(whole.store.ledger.multicast->empty());
  whole.run_for(seconds(5));
  EXPECT_FALSE(whole.store.ledger.multicast->empty());
}

TEST(Multicast, TablesThatASwitchDoesNotTakeAreAProblemUntilItDoes) {
  Party party("fat-tree:radix=8");
  Whole& whole = party.whole;
  bool refuses = true;
  const sim::NodeIndex leaf = whole.world->port(whole.world->port(party[1].port()).peer).node;
  whole.world->forge(leaf, mad::AttrId::multicast_forwarding, [&refuses](mad::Smp& answer) {
    if (refuses) answer.status = 0x1c;
    return true;
  });
  for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(party[i].join(kBroadcast), 0);
  whole.run_for(seconds(3));
  EXPECT_TRUE(whole.has_problem("could not be written"));
  EXPECT_TRUE(whole.has_problem(whole.world->node(leaf).id));
  EXPECT_NE(whole.status().text, "the fabric is as planned");
  refuses = false;
  whole.run_for(seconds(10));
  EXPECT_TRUE(whole.status().problems.empty());
  EXPECT_EQ(whole.status().text, "the fabric is as planned");
  EXPECT_EQ(heard(whole, party[0], party[0].joined.mlid), party.all_but(0));
}

}  // namespace
}  // namespace weft::test
