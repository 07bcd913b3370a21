// Conformance cases G: MCMemberRecord.

#include <gtest/gtest.h>

#include <set>

#include "tests/sa/desk.h"

namespace weft::sa {
namespace {

using mad::McMemberRecord;
using mad::Method;
using mad::SaAttr;

enum McBit {
  kMgid,
  kPortGid,
  kQkey,
  kMlid,
  kMtuSel,
  kMtu,
  kTclass,
  kPkey,
  kRateSel,
  kRate,
  kLifeSel,
  kLife,
  kSl,
  kFlow,
  kHop,
  kScope,
  kJoin,
  kProxy
};
const std::uint64_t kJoinMask = bits({kMgid, kPortGid, kPkey, kJoin});
const std::uint64_t kNewMask = kJoinMask | bits({kQkey, kSl, kFlow, kTclass});
const Gid kBroadcast = ipoib_broadcast(Pkey{0xffff});
const Gid kOther{0xff12401bffff0000, 0x00010203};

struct GroupDesk : Desk {
  using Desk::Desk;
  McMemberRecord member(const Gid& mgid, std::string_view port = "HcaB", std::uint8_t join_state = 1) const {
    McMemberRecord asked;
    asked.mgid = mgid;
    asked.port_gid = gid_of(port);
    asked.pkey = Pkey{0xffff};
    asked.qkey = 0x0b1b;
    asked.join_state = join_state;
    return asked;
  }
  Answer join(const McMemberRecord& asked, std::uint64_t mask = kJoinMask) {
    return ask(Method::set, SaAttr::mc_member_record, mask, asked);
  }
  Answer leave(const McMemberRecord& asked, std::uint64_t mask = bits({kMgid, kPortGid, kJoin})) {
    return ask(Method::delete_, SaAttr::mc_member_record, mask, asked);
  }
  std::uint8_t state_byte(const Answer& answer) const {
    return answer.data.size() > 48 ? answer.data[48] : 0;
  }
};

TEST(G1G2, GroupsAreSeenByAllMembersByTheTrusted) {
  GroupDesk desk;
  const Answer groups = desk.table(SaAttr::mc_member_record);
  ASSERT_EQ(count(groups), 1u);
  const auto group = record<McMemberRecord>(groups);
  EXPECT_EQ(group.mgid, kBroadcast);
  EXPECT_EQ(group.port_gid, Gid{});
  EXPECT_EQ(group.join_state, 0);
  EXPECT_EQ(group.scope, 2);
  desk.trusted = true;
  EXPECT_EQ(count(desk.table(SaAttr::mc_member_record)), 0u) << "no members yet";
}

TEST(G3ToG8, AJoinIsAnsweredWholeAndCountsOnce) {
  GroupDesk desk;
  const Answer joined = desk.join(desk.member(kBroadcast));
  ASSERT_EQ(joined.status, 0);
  const auto told = record<McMemberRecord>(joined);
  EXPECT_EQ(told.mlid, Lid{0xc000});
  EXPECT_EQ(told.qkey, 0x0b1bu);
  EXPECT_EQ(told.mtu_selector << 6 | told.mtu, 0x84);
  EXPECT_EQ(told.rate_selector << 6 | told.rate, 0x83);
  EXPECT_EQ(told.lifetime_selector << 6 | told.lifetime, 0x92);
  EXPECT_EQ(desk.state_byte(joined), 0x21);
  EXPECT_EQ(desk.join(desk.member(kBroadcast)).data, joined.data);
  EXPECT_EQ(desk.get(SaAttr::mc_member_record).status, 0);
  const std::uint64_t by_port = bits({kMgid, kPortGid});
  const Answer seen = desk.ask(Method::get, SaAttr::mc_member_record, by_port, desk.member(kBroadcast));
  EXPECT_EQ(desk.state_byte(seen), 0x20) << "G7: hidden from the untrusted";
  EXPECT_EQ(desk.ask(Method::get, SaAttr::mc_member_record, by_port, desk.member(kBroadcast, "HcaC")).status,
            0x0300);
  desk.trusted = true;
  const Answer members = desk.table(SaAttr::mc_member_record);
  ASSERT_EQ(count(members), 1u);
  EXPECT_EQ(record<McMemberRecord>(members).port_gid, desk.gid_of("HcaB"));
  EXPECT_EQ(desk.state_byte(members), 0x21);
}

TEST(G9G10, UnknownGroups) {
  GroupDesk desk;
  EXPECT_EQ(desk.ask(Method::get, SaAttr::mc_member_record, bit(kMgid), desk.member(kOther)).status, 0x0300);
  McMemberRecord asked;
  asked.mlid = Lid{0xdead};
  EXPECT_EQ(count(desk.ask(Method::get_table, SaAttr::mc_member_record, bit(kMlid), asked)), 0u);
}

TEST(Groups, AreNotOnAnSlOfALayer) {
  plan::Config config;
  config.lids.lmc = 1;
  GroupDesk desk(two_switches(), config,
                 [](const fabric::Fabric&, plan::Plan& plan) { plan.routing.routes.layers = 2; });
  McMemberRecord asked = desk.member(kOther);
  asked.sl = Sl{1};
  EXPECT_EQ(desk.join(asked, kNewMask).status, 0x0200);
  asked.sl = Sl{0};
  EXPECT_EQ(desk.join(asked, kNewMask).status, 0);
}

TEST(G11ToG13, AJoinMustAgreeWithTheGroup) {
  GroupDesk desk;
  McMemberRecord asked = desk.member(kBroadcast);
  asked.qkey = 1;
  EXPECT_EQ(desk.join(asked, kJoinMask | bit(kQkey)).status, 0x0200);
  asked = desk.member(kBroadcast);
  asked.pkey = Pkey{0x8123};
  EXPECT_EQ(desk.join(asked).status, 0x0200);
  asked = desk.member(kBroadcast);
  asked.sl = Sl{3};
  EXPECT_EQ(desk.join(asked, kJoinMask | bit(kSl)).status, 0x0200);
  asked = desk.member(kBroadcast);
  asked.mtu_selector = 0;
  asked.mtu = 5;
  EXPECT_EQ(desk.join(asked, kJoinMask | bits({kMtuSel, kMtu})).status, 0x0200);
  asked.mtu_selector = 2;
  asked.mtu = 2;
  EXPECT_EQ(desk.join(asked, kJoinMask | bits({kMtuSel, kMtu})).status, 0x0200);
  asked = desk.member(kBroadcast);
  asked.rate_selector = 0;
  asked.rate = 10;
  EXPECT_EQ(desk.join(asked, kJoinMask | bits({kRateSel, kRate})).status, 0x0200);
  EXPECT_EQ(desk.join(desk.member(kBroadcast, "HcaB", 0)).status, 0x0200);
}

TEST(G14ToG18, JoinStatesAddUpAndGoOneByOne) {
  GroupDesk desk;
  desk.join(desk.member(kBroadcast));
  EXPECT_EQ(desk.state_byte(desk.join(desk.member(kBroadcast, "HcaB", 2))), 0x23);
  EXPECT_EQ(desk.state_byte(desk.join(desk.member(kBroadcast, "HcaB", 4))), 0x27);
  EXPECT_EQ(desk.state_byte(desk.join(desk.member(kBroadcast, "HcaB", 8))), 0x2f);
  const Answer left = desk.leave(desk.member(kBroadcast, "HcaB", 8));
  EXPECT_EQ(desk.state_byte(left), 0x27);
  EXPECT_EQ(left.method, Method::delete_resp);
  EXPECT_EQ(desk.leave(desk.member(kBroadcast, "HcaB", 8)).status, 0x0200);
  EXPECT_EQ(desk.leave(desk.member(kBroadcast, "HcaB", 9)).status, 0x0200) << "partly not held";
  EXPECT_EQ(desk.state_byte(desk.leave(desk.member(kBroadcast, "HcaB", 7))), 0x20);
  EXPECT_EQ(desk.leave(desk.member(kBroadcast)).status, 0x0200);
  for (const int missing : {kMgid, kPortGid, kJoin}) {
    EXPECT_EQ(desk.join(desk.member(kBroadcast), kJoinMask & ~bit(missing)).status, 0x0600);
    EXPECT_EQ(desk.leave(desk.member(kBroadcast), kJoinMask & ~bit(missing)).status, 0x0600);
  }
  EXPECT_TRUE(desk.state.groups.contains(kBroadcast)) << "G41: ours stays";
}

TEST(G19ToG22, NewGroups) {
  GroupDesk desk;
  const Answer chosen = desk.join(desk.member(Gid{}), kNewMask);
  ASSERT_EQ(chosen.status, 0);
  EXPECT_EQ(record<McMemberRecord>(chosen).mgid[0] >> 32, 0xff12a01bu);
  const Answer another = desk.join(desk.member(Gid{}), kNewMask);
  EXPECT_NE(record<McMemberRecord>(another).mgid, record<McMemberRecord>(chosen).mgid);
  EXPECT_NE(record<McMemberRecord>(another).mlid, record<McMemberRecord>(chosen).mlid);
  for (const int missing : {kQkey, kPkey, kSl, kFlow, kTclass})
    EXPECT_EQ(desk.join(desk.member(kOther), kNewMask & ~bit(missing)).status, 0x0600) << missing;
  const Answer made = desk.join(desk.member(kOther), kNewMask);
  ASSERT_EQ(made.status, 0);
  const auto told = record<McMemberRecord>(made);
  EXPECT_EQ(told.mtu_selector << 6 | told.mtu, 0x84);
  EXPECT_EQ(told.rate_selector << 6 | told.rate, 0x83);
  EXPECT_EQ(told.lifetime_selector << 6 | told.lifetime, 0x80);
  ASSERT_EQ(desk.events.size(), 3u);
  EXPECT_EQ(desk.events.back().trap, 66);
  EXPECT_EQ(desk.events.back().gid, kOther);
}

TEST(G23ToG30, WhatNoGroupMayBe) {
  GroupDesk desk;
  McMemberRecord asked = desk.member(kOther);
  for (const unsigned key : {0x8001u, 0u}) {
    asked.pkey = static_cast<Pkey>(key);
    EXPECT_EQ(desk.join(asked, kNewMask).status, 0x0200);
  }
  for (const std::uint64_t prefix : {0xfe12401bffff0000u, 0xff22401bffff0000u, 0xff12a01bffff0000u})
    EXPECT_EQ(desk.join(desk.member({prefix, 7}), kNewMask).status, 0x0200) << fmt::format("{:x}", prefix);
  for (const std::uint8_t join_state : {2, 4})
    EXPECT_EQ(desk.join(desk.member(kOther, "HcaB", join_state), kNewMask).status, 0x0200);
  EXPECT_EQ(desk.join(desk.member({0xff02000000000000, 1}), kNewMask).status, 0) << "G27";
  EXPECT_EQ(desk.state_byte(desk.join(desk.member({0xff12000000000000, 8}, "HcaB", 8), kNewMask)) & 0xf, 8)
      << "G29";
  EXPECT_EQ(desk.join(desk.member({0xff12000000000000, 9}, "HcaB", 3), kNewMask).status, 0) << "G30";
  EXPECT_EQ(desk.join(desk.member({0xff12000000000000, 10}, "HcaB", 0xf), kNewMask).status, 0);
}

TEST(G31, ANewGroupMustFitItsCreator) {
  GroupDesk desk;
  const auto with = [&](int selector_bit, int selector, int value) {
    McMemberRecord asked = desk.member(kOther);
    const auto s = static_cast<std::uint8_t>(selector);
    const auto v = static_cast<std::uint8_t>(value);
    if (selector_bit == kRateSel) asked.rate_selector = s, asked.rate = v;
    if (selector_bit == kMtuSel) asked.mtu_selector = s, asked.mtu = v;
    return desk.join(asked, kNewMask | bits({selector_bit, selector_bit + 1})).status;
  };
  EXPECT_EQ(with(kRateSel, 0, 18), 0x0200);
  EXPECT_EQ(with(kRateSel, 1, 2), 0x0200);
  EXPECT_EQ(with(kMtuSel, 0, 5), 0x0200);
  EXPECT_EQ(with(kMtuSel, 1, 1), 0x0200);
  EXPECT_EQ(with(kMtuSel, 2, 6), 0x0200);
  EXPECT_EQ(with(kRateSel, 2, 2), 0) << "slower than the link";
}

TEST(G32ToG34, IpoibGroupsFollowTheirBroadcastGroup) {
  GroupDesk desk;
  McMemberRecord asked = desk.member(kOther);
  asked.qkey = 5;
  EXPECT_EQ(desk.join(asked, kNewMask).status, 0x0200);
  asked = desk.member(kOther);
  asked.mlid = Lid{0xc123};
  const Answer made = desk.join(asked, kNewMask | bit(kMlid));
  ASSERT_EQ(made.status, 0);
  EXPECT_EQ(record<McMemberRecord>(made).mlid, Lid{0xc123});
}

TEST(G35ToG39, OnlyForPortsThatAreThere) {
  GroupDesk desk;
  McMemberRecord asked = desk.member(kBroadcast);
  asked.port_gid = {kLinkLocalPrefix, 0xdead};
  EXPECT_EQ(desk.join(asked).status, 0x0200);
  asked.port_gid = {0x3ffe000000000000, raw(desk.guid_of("HcaB"))};
  EXPECT_EQ(desk.join(asked).status, 0x0500);
  const Answer proxy = desk.join(desk.member(kBroadcast, "HcaC"));
  EXPECT_EQ(proxy.status, 0);
  EXPECT_EQ(proxy.data[49], 0x80) << "G38";
  EXPECT_EQ(desk.leave(desk.member(kBroadcast, "HcaB")).status, 0x0200) << "G39";
}

TEST(G40G44, AGroupEndsWithItsLastReceiver) {
  GroupDesk desk;
  desk.join(desk.member(kOther), kNewMask);
  desk.join(desk.member(kOther, "HcaC", 4));
  desk.leave(desk.member(kOther));
  EXPECT_FALSE(desk.state.groups.contains(kOther));
  EXPECT_EQ(desk.events.back().trap, 67);
  EXPECT_EQ(desk.leave(desk.member(kOther, "HcaC", 4)).status, 0x0200);
  desk.join(desk.member(kOther), kNewMask);
  desk.join(desk.member(kBroadcast));
  std::vector<Event> events;
  const auto without = without_ports(desk.state, {desk.guid_of("HcaB")}, events);
  ASSERT_TRUE(without);
  EXPECT_FALSE(without->groups.contains(kOther));
  EXPECT_TRUE(without->groups.find(kBroadcast)->members.empty());
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].trap, 67);
}

TEST(G41, OurGroupStaysWithoutMembers) {
  GroupDesk desk;
  desk.join(desk.member(kBroadcast));
  EXPECT_EQ(desk.leave(desk.member(kBroadcast)).status, 0);
  EXPECT_EQ(desk.ask(Method::get, SaAttr::mc_member_record, bit(kMgid), desk.member(kBroadcast)).status, 0);
}

TEST(G43, APortThatCannotIsRefusedWithTheReason) {
  topology::Topology slow = two_switches();
  slow.cables[4].width = LinkWidth::x1;  // HcaC's: 2.5 Gb/s
  GroupDesk desk(slow);
  const Answer refused = desk.join(desk.member(kBroadcast, "HcaC"));
  EXPECT_EQ(refused.status, 0x0200);
  EXPECT_EQ(refused.why, "rate 2.5G of HcaC below the group's 10G");
}

TEST(GroupRate, FollowsTheSlowestMemberWhereItIsSetSo) {
  topology::Topology mixed = two_switches();
  mixed.cables[3].speed = LinkSpeed::edr;  // HcaB's: 100 Gb/s
  mixed.cables[4].width = LinkWidth::x1;   // HcaC's: 2.5 Gb/s
  GroupDesk desk(mixed);
  desk.options.group_rate = 0;
  desk.state = *with_own_groups(desk.state, desk.options, desk.view->plan->partitions, desk.events);
  EXPECT_EQ(record<McMemberRecord>(desk.join(desk.member(kBroadcast, "HcaB"))).rate, 16);
  EXPECT_EQ(record<McMemberRecord>(desk.join(desk.member(kBroadcast, "HcaC"))).rate, 2);
  desk.leave(desk.member(kBroadcast, "HcaC"));
  EXPECT_EQ(desk.state.groups.find(kBroadcast)->rate, 16);
  desk.options.group_rate = 200;
  desk.state = *with_own_groups(desk.state, desk.options, desk.view->plan->partitions, desk.events);
  EXPECT_EQ(desk.state.groups.find(kBroadcast)->rate, 6) << "as set, from the next View on";
  EXPECT_FALSE(with_own_groups(desk.state, desk.options, desk.view->plan->partitions, desk.events));
}

TEST(G46, AKernelLeavesWithThreeComponents) {
  GroupDesk desk;
  ASSERT_EQ(desk.join(desk.member(kBroadcast)).status, 0);
  McMemberRecord bare;
  bare.mgid = kBroadcast;
  bare.port_gid = desk.gid_of("HcaB");
  bare.join_state = 1;
  EXPECT_EQ(desk.leave(bare, bits({kMgid, kPortGid, kJoin})).status, 0);
}

TEST(G47, AnMgidOfTheSasKindIsTakenAsGiven) {
  GroupDesk desk;
  const Gid given{0xff15a01bfe800000, 77};
  ASSERT_EQ(desk.join(desk.member(given), kNewMask).status, 0);
  EXPECT_TRUE(desk.state.groups.contains(given));
  const Answer chosen = desk.join(desk.member(Gid{}), kNewMask);
  EXPECT_NE(record<McMemberRecord>(chosen).mgid, given);
}

TEST(SolicitedNodeGroups, ShareAnMlidAsItIsSet) {
  const auto mlids_of = [](plan::ShareMlids share) {
    GroupDesk desk;
    desk.options.share_mlids = share;
    std::set<Lid> mlids;
    for (unsigned i = 0; i < 5; ++i) {
      const Gid mgid{0xff12601bffff0000, 0x1ff000000u + i};
      mlids.insert(record<McMemberRecord>(desk.join(desk.member(mgid), kNewMask)).mlid);
    }
    return mlids.size();
  };
  EXPECT_EQ(mlids_of(plan::ShareMlids::always), 1u);
  EXPECT_EQ(mlids_of(plan::ShareMlids::when_full), 5u);
  EXPECT_EQ(mlids_of(plan::ShareMlids::never), 5u);
}

TEST(G42, MlidsRunOut) {
  GroupDesk desk;
  std::uint16_t status = 0;
  int made = 0;
  while (status == 0 && made < 20'000) {
    status =
        desk.join(desk.member({0xff12000000000000, 0x100u + static_cast<unsigned>(made)}), kNewMask).status;
    made += status == 0;
  }
  EXPECT_EQ(status, 0x0100);
  EXPECT_EQ(made, 16382) << "all MLIDs but the broadcast group's";
  for (int i = 0; i < made; ++i)
    ASSERT_EQ(desk.leave(desk.member({0xff12000000000000, 0x100u + static_cast<unsigned>(i)})).status, 0);
  EXPECT_EQ(desk.state.groups.size(), 1u);
}

}  // namespace
}  // namespace weft::sa
