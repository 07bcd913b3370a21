// Conformance cases P53 to P56, and what else partitions decide: who sees whom, joins what and hears of what.

#include <gtest/gtest.h>

#include "mad/node_info.h"
#include "sa/sight.h"
#include "sa/tables.h"
#include "tests/sa/desk.h"

namespace weft::sa {
namespace {

using mad::Method;
using mad::SaAttr;
using partitions::Keys;

constexpr Pkey kRed{0x8011};
constexpr Pkey kRedGuest{0x0011};
constexpr Pkey kBlue{0x8022};
constexpr Pkey kCommon{0xffff};
constexpr Pkey kGuest{0x7fff};

/// A is in all partitions, as managers are; switches in the default one.
struct PartitionDesk : Desk {
  using Members = std::map<std::string, Keys>;
  explicit PartitionDesk(const Members& members) : Desk(two_switches(), {}, keys_of(members)) {}
  static Change keys_of(Members members) {
    members.emplace("HcaA", Keys{kCommon, kRed, kBlue});
    return [members](const fabric::Fabric& fabric, plan::Plan& plan) {
      for (const fabric::PortRef end : fabric.end_ports()) {
        const auto found = members.find(fabric.node(end.node).description);
        if (found != members.end())
          plan.partitions.tables.set(fabric.node(end.node).first_port + raw(end.port), found->second);
      }
    };
  }
  Answer path(std::string_view from, std::string_view to, std::optional<Pkey> pkey = {}) {
    mad::PathRecord asked;
    asked.sgid = gid_of(from);
    asked.dgid = gid_of(to);
    asked.pkey = pkey.value_or(Pkey{});
    return ask(Method::get, SaAttr::path_record, bits({2, 3}) | (pkey ? bit(13) : 0), asked);
  }
  Pkey pkey_of(const Answer& answer) const { return record<mad::PathRecord>(answer).pkey; }
  Answer join(const Gid& mgid, std::string_view port, Pkey pkey, std::uint8_t join_state = 1) {
    mad::McMemberRecord asked;
    asked.mgid = mgid;
    asked.port_gid = gid_of(port);
    asked.pkey = pkey;
    asked.qkey = 0x0b1b;
    asked.join_state = join_state;
    return ask(Method::set, SaAttr::mc_member_record, bits({0, 1, 2, 6, 7, 12, 13, 16}), asked);
  }
  std::size_t nodes() { return count(table(SaAttr::node_record)); }
};

/// B and C are red, D is blue.
PartitionDesk two_colours() {
  return PartitionDesk({{"HcaB", {kCommon, kRed}}, {"HcaC", {kGuest, kRed}}, {"HcaD", {kGuest, kBlue}}});
}

TEST(P53, NoPathBetweenPortsWithoutACommonPartition) {
  PartitionDesk desk({{"HcaB", {kRed}}, {"HcaC", {kBlue}}});
  EXPECT_EQ(desk.path("HcaB", "HcaC").status, 0x0300);
  EXPECT_EQ(desk.path("HcaB", "HcaC", kRed).status, 0x0300);
  desk.asker = "HcaA";
  EXPECT_EQ(desk.path("HcaB", "HcaC").status, 0x0300) << "whoever asks";
  EXPECT_EQ(desk.path("HcaB", "HcaA").status, 0);
}

TEST(P54, OneOfTheEndsMustBeAFullMember) {
  PartitionDesk desk({{"HcaB", {kRedGuest}}, {"HcaC", {kRed}}, {"HcaD", {kRedGuest}}});
  const Answer limited = desk.path("HcaB", "HcaC");
  ASSERT_EQ(limited.status, 0);
  EXPECT_EQ(desk.pkey_of(limited), kRedGuest) << "the source's own key";
  EXPECT_EQ(desk.pkey_of(desk.path("HcaC", "HcaB")), kRed);
  EXPECT_EQ(desk.pkey_of(desk.path("HcaB", "HcaC", kRed)), kRed) << "as asked, full bit included";
  desk.trusted = true;
  EXPECT_EQ(desk.path("HcaB", "HcaD").status, 0x0300) << "both limited";
  EXPECT_EQ(desk.path("HcaB", "HcaD", kRed).status, 0x0300);
}

TEST(P55, WhoSharesNoPartitionWithTheEndsFindsNoPath) {
  PartitionDesk desk = two_colours();
  EXPECT_EQ(desk.path("HcaB", "HcaC").status, 0);
  desk.asker = "HcaD";
  EXPECT_EQ(desk.path("HcaB", "HcaC").status, 0x0300) << "D shares a key with B only";
  desk.trusted = true;
  EXPECT_EQ(desk.path("HcaB", "HcaC").status, 0) << "who shows the SM_Key sees all";
}

TEST(P55, APathTableHasOnlyWhatTheAskerSees) {
  PartitionDesk desk({{"HcaB", {kRed}}, {"HcaC", {kRed}}, {"HcaD", {kBlue}}});
  // A, B, C see each other in red: nine pairs. D and the switches are not there.
  EXPECT_EQ(count(desk.table(SaAttr::path_record)), 9u);
  desk.asker = "HcaD";
  EXPECT_EQ(count(desk.table(SaAttr::path_record)), 4u);
}

TEST(P56, RoutesInLayersGiveTheSlOfTheLid) {
  plan::Config config;
  config.lids.lmc = 1;
  Desk desk(two_switches(), config,
            [](const fabric::Fabric&, plan::Plan& plan) { plan.routing.routes.layers = 2; });
  const auto by_lids = [&](unsigned from, unsigned to, std::uint64_t mask = 0) {
    mad::PathRecord asked;
    asked.slid = static_cast<Lid>(raw(desk.lid_of("HcaB")) + from);
    asked.dlid = static_cast<Lid>(raw(desk.lid_of("HcaC")) + to);
    return desk.ask(Method::get, SaAttr::path_record, bits({4, 5}) | mask, asked);
  };
  EXPECT_EQ(record<mad::PathRecord>(by_lids(0, 0)).sl, Sl{0});
  EXPECT_EQ(record<mad::PathRecord>(by_lids(1, 1)).sl, Sl{1});
  EXPECT_EQ(by_lids(0, 1).status, 0x0300) << "the way back would be in another layer";
  EXPECT_EQ(by_lids(1, 1, bit(15)).status, 0x0300) << "SL 0 is not safe there";
  mad::PathRecord pair;
  pair.sgid = desk.gid_of("HcaB");
  pair.dgid = desk.gid_of("HcaC");
  EXPECT_EQ(count(desk.ask(Method::get_table, SaAttr::path_record, bits({2, 3}), pair)), 2u);
}

TEST(Partitions, HideRecordsOfPortsThatShareNone) {
  PartitionDesk desk({{"HcaB", {kRed}}, {"HcaC", {kRed}}, {"HcaD", {kBlue}}});
  EXPECT_EQ(desk.nodes(), 3u) << "A, B and C; no switch";
  EXPECT_EQ(count(desk.table(SaAttr::port_info_record)), 3u);
  EXPECT_EQ(count(desk.table(SaAttr::guid_info_record)), 3u);
  EXPECT_EQ(count(desk.table(SaAttr::link_record)), 0u) << "all links end at a switch";
  EXPECT_EQ(count(desk.table(SaAttr::switch_info_record)), 0u);
  EXPECT_EQ(count(desk.table(SaAttr::lft_record)), 0u);
  EXPECT_EQ(count(desk.table(SaAttr::sm_info_record)), 1u) << "the manager is in all partitions";
  desk.data.assign(200, 0);
  put_bits(std::span<std::uint8_t>(desk.data), 0, 16, raw(desk.lid_of("HcaD")));
  EXPECT_EQ(desk.ask(desk.request(Method::get, SaAttr::node_record, bit(0))).status, 0x0300);
  desk.trusted = true;
  EXPECT_EQ(desk.nodes(), 6u);
  EXPECT_EQ(count(desk.table(SaAttr::link_record)), 12u);
}

TEST(Partitions, AreReadFromTablesOnlyOfVisiblePorts) {
  PartitionDesk desk({{"HcaB", {kRed}}, {"HcaC", {kRed}}, {"HcaD", {kBlue}}});
  Request all = desk.request(Method::get_table, SaAttr::sl_to_vl_record, 0);
  all.data = desk.data;
  EXPECT_EQ(missing_tables(all, desk.context(), 4096).size(), 3u);
}

TEST(Partitions, ALimitedMemberSeesItself) {
  PartitionDesk desk({{"HcaB", {kRedGuest}}, {"HcaC", {kRedGuest}}});
  EXPECT_EQ(desk.nodes(), 2u) << "A and itself, not the other guest";
}

TEST(Partitions, GroupsTakeOnlyTheirMembers) {
  PartitionDesk desk = two_colours();
  const Gid red_group{0xff12401b80110000, 7};
  EXPECT_EQ(desk.join(red_group, "HcaD", kRed).status, 0x0200) << "not a key of its own";
  ASSERT_EQ(desk.join(red_group, "HcaB", kRed).status, 0);
  EXPECT_EQ(desk.state.groups.find(red_group)->pkey, kRed);
  desk.asker = "HcaD";
  const Answer refused = desk.join(red_group, "HcaD", kRed);
  EXPECT_EQ(refused.status, 0x0200);
  EXPECT_EQ(refused.why, "HcaD is not in the partition of P_Key 0x8011");
  EXPECT_EQ(count(desk.table(SaAttr::mc_member_record)), 1u) << "D sees the default partition's group only";
  desk.asker = "HcaC";
  EXPECT_EQ(count(desk.table(SaAttr::mc_member_record)), 2u);
  EXPECT_EQ(desk.join(ipoib_broadcast(kCommon), "HcaC", kGuest).status, 0) << "a limited member may join";
  mad::PathRecord asked;
  asked.dgid = red_group;
  EXPECT_EQ(desk.ask(Method::get, SaAttr::path_record, bit(2), asked).status, 0);
  desk.asker = "HcaD";
  EXPECT_EQ(desk.ask(Method::get, SaAttr::path_record, bit(2), asked).status, 0x0300);
}

TEST(Partitions, APortThatLeftOneLeavesItsGroups) {
  PartitionDesk before = two_colours();
  const Gid red_group{0xff12401b80110000, 7};
  ASSERT_EQ(before.join(red_group, "HcaB", kRed).status, 0);
  before.asker = "HcaC";
  ASSERT_EQ(before.join(red_group, "HcaC", kRed).status, 0);
  PartitionDesk after({{"HcaB", {kCommon}}, {"HcaC", {kGuest, kRed}}, {"HcaD", {kGuest, kBlue}}});
  after.state = before.state;
  std::vector<Event> events;
  const auto next = as_planned(after.context(), events);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->groups.find(red_group)->members.size(), 1u);
  EXPECT_TRUE(events.empty());
  after.state = *next;
  EXPECT_FALSE(as_planned(after.context(), events)) << "once";
  PartitionDesk last({{"HcaB", {kCommon}}, {"HcaC", {kGuest}}});
  last.state = *next;
  const auto none = as_planned(last.context(), events);
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->groups.contains(red_group));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].trap, 67);
}

TEST(Partitions, ServicesBelongToOne) {
  PartitionDesk desk = two_colours();
  const auto offer = [&](Pkey pkey, std::uint64_t mask) {
    mad::ServiceRecord made;
    made.id = 7;
    made.gid = desk.gid_of("HcaB");
    made.pkey = pkey;
    return desk.ask(Method::set, SaAttr::service_record, mask, made);
  };
  EXPECT_EQ(offer(kBlue, bits({0, 1, 2})).status, 0x0200);
  ASSERT_EQ(offer(kRed, bits({0, 1, 2})).status, 0);
  EXPECT_EQ(count(desk.table(SaAttr::service_record)), 1u);
  desk.asker = "HcaD";
  EXPECT_EQ(count(desk.table(SaAttr::service_record)), 0u);
  mad::ServiceRecord like;
  like.id = 7;
  like.gid = desk.gid_of("HcaB");
  like.pkey = kRed;
  EXPECT_EQ(desk.ask(Method::delete_, SaAttr::service_record, bits({0, 1, 2}), like).status, 0x0300);
  PartitionDesk apart({{"HcaB", {kRed}}});
  mad::ServiceRecord plain;
  plain.id = 8;
  plain.gid = apart.gid_of("HcaB");
  const Answer named = apart.ask(Method::set, SaAttr::service_record, bits({0, 1}), plain);
  EXPECT_EQ(record<mad::ServiceRecord>(named).pkey, kRed) << "its own, where it is not in the default one";
}

TEST(Partitions, SubscriptionsNameOnlyWhomTheySee) {
  PartitionDesk desk({{"HcaB", {kRed}}, {"HcaC", {kRed}}, {"HcaD", {kBlue}}});
  const auto subscribe = [&](const Gid& issuer) {
    mad::InformInfo wish;
    wish.gid = issuer;
    wish.generic = wish.subscribe = 1;
    wish.type = wish.trap = 0xffff;
    wish.producer = 0xffffff;
    return desk.ask(Method::set, SaAttr::inform_info, 0, wish).status;
  };
  EXPECT_EQ(subscribe(desk.gid_of("HcaC")), 0);
  EXPECT_EQ(subscribe(desk.gid_of("HcaD")), 0x0200);
  EXPECT_EQ(count(desk.table(SaAttr::inform_info_record)), 1u);
  desk.asker = "HcaD";
  EXPECT_EQ(count(desk.table(SaAttr::inform_info_record)), 0u);
  const plan::Subscription& of_b = (*desk.state.subscriptions.find(desk.guid_of("HcaB")))->front();
  const auto hears = [&](const Keys& keys) { return may_hear(desk.index, of_b, keys); };
  EXPECT_TRUE(hears({kRed})) << "E18: traps of ports that share a key, and of red groups";
  EXPECT_FALSE(hears({kBlue}));
  plan::Subscription trusted = of_b;
  trusted.trusted = true;
  EXPECT_TRUE(may_hear(desk.index, trusted, Keys{kBlue}));
  trusted.subscriber[1] = 0xdead;
  EXPECT_FALSE(may_hear(desk.index, trusted, Keys{kBlue})) << "E20: it is not here";
}

TEST(Partitions, AliasesAreSetOnlyWhereOneSees) {
  PartitionDesk desk({{"HcaB", {kRed}}, {"HcaD", {kBlue}}});
  const auto set = [&](std::string_view node) {
    desk.data.assign(200, 0);
    put_bits(std::span<std::uint8_t>(desk.data), 0, 16, raw(desk.lid_of(node)));
    return desk.ask(desk.request(Method::set, SaAttr::guid_info_record, bits({0, 1, 5}))).status;
  };
  EXPECT_EQ(set("HcaB"), 0);
  EXPECT_EQ(set("HcaD"), 0x0300);
}

TEST(Partitions, NodeRecordsTellTheirCapacity) {
  Desk desk;
  const Answer nodes = desk.table(SaAttr::node_record);
  for (std::size_t i = 0; i < count(nodes); ++i) {
    const auto info =
        mad::decode<mad::NodeInfo>(std::span<const std::uint8_t>(nodes.data).subspan(i * 112 + 4));
    const auto node = desk.index.fabric().find(info.node_guid);
    ASSERT_TRUE(node);
    EXPECT_EQ(info.partition_cap, desk.index.fabric().node(*node).pkey_capacity);
    EXPECT_NE(info.partition_cap, 0);
  }
}

TEST(AskersThatNobodyKnows, SeeNobody) {
  Desk desk;
  Request all = desk.request(Method::get_table, SaAttr::node_record, 0);
  all.from.lid = Lid{0x7000};
  EXPECT_EQ(count(desk.ask(all)), 0u);
  all.trusted = true;
  EXPECT_EQ(count(desk.ask(all)), 6u);
}

}  // namespace
}  // namespace weft::sa
