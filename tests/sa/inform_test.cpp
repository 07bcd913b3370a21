// Conformance cases E: InformInfo, its records, and which notices go to whom.

#include <gtest/gtest.h>

#include "tests/sa/desk.h"

namespace weft::sa {
namespace {

using mad::InformInfo;
using mad::Method;
using mad::SaAttr;

struct InformDesk : Desk {
  InformInfo wish(std::uint16_t type, std::uint16_t trap, std::uint32_t producer) const {
    InformInfo made;
    made.lid_begin = Lid{0xffff};
    made.generic = 1;
    made.subscribe = 1;
    made.type = type;
    made.trap = trap;
    made.producer = producer;
    return made;
  }
  Answer subscribe(const InformInfo& wanted, std::uint32_t qp = 1) {
    data.assign(200, 0);
    encode_into(std::span<std::uint8_t>(data), wanted);
    Request made = request(Method::set, SaAttr::inform_info, 0);
    made.from.qp = qp;
    return ask(made);
  }
};

TEST(E1ToE4, SubscribingTwiceIsOneSubscription) {
  InformDesk desk;
  EXPECT_EQ(desk.get(SaAttr::inform_info).status, 0x000c);
  const Answer all = desk.subscribe(desk.wish(0xffff, 0xffff, 0xffffff));
  EXPECT_EQ(all.status, 0);
  EXPECT_EQ(all.offset, 4);
  EXPECT_EQ(desk.subscribe(desk.wish(3, 64, 4)).status, 0);
  EXPECT_EQ(desk.subscribe(desk.wish(3, 64, 4)).status, 0);
  EXPECT_EQ(plan::subscription_count(desk.state), 2u);
  const Answer listed = desk.table(SaAttr::inform_info_record);
  EXPECT_EQ(count(listed), 2u);
  EXPECT_EQ(get_bits(listed.data, 64, 64), raw(desk.guid_of("HcaB")));
  EXPECT_EQ(get_bits(listed.data, 64 * 8 + 128, 16), 1u) << "Enum counts";
}

TEST(E5ToE10, WhatCannotBeSubscribedTo) {
  InformDesk desk;
  InformInfo odd = desk.wish(3, 64, 4);
  odd.subscribe = 2;
  EXPECT_EQ(desk.subscribe(odd).status, 0x0200);
  EXPECT_EQ(desk.subscribe(desk.wish(2, 257, 1)).status, 0x0200);
  desk.trusted = true;
  EXPECT_EQ(desk.subscribe(desk.wish(2, 257, 1)).status, 0);
  InformInfo strange = desk.wish(3, 64, 4);
  strange.lid_begin = Lid{0x7000};
  strange.lid_end = Lid{0x7001};
  EXPECT_EQ(desk.subscribe(strange).status, 0x0200);
  strange = desk.wish(3, 64, 4);
  strange.gid = {kLinkLocalPrefix, 0xdead};
  EXPECT_EQ(desk.subscribe(strange).status, 0x0200);
}

TEST(E7E8, UnsubscribingGoesByTheQueuePairThatAsked) {
  InformDesk desk;
  InformInfo wanted = desk.wish(3, 64, 4);
  wanted.qpn = 5;
  EXPECT_EQ(desk.subscribe(wanted, 1).status, 0);
  wanted.subscribe = 0;
  EXPECT_EQ(desk.subscribe(wanted, 6).status, 0x0200);
  EXPECT_EQ(desk.subscribe(wanted, 1).status, 0);
  EXPECT_EQ(desk.subscribe(wanted, 1).status, 0x0200);
}

TEST(E11ToE13, TheirRecordsAreOnlyRead) {
  InformDesk desk;
  EXPECT_EQ(desk.ask(desk.request(Method::set, SaAttr::inform_info_record, 0)).status, 0x000c);
  EXPECT_EQ(desk.get(SaAttr::inform_info_record).status, 0x0300);
  EXPECT_EQ(count(desk.table(SaAttr::inform_info_record)), 0u);
}

TEST(E14, SubscriptionsBySubscriberAndNumber) {
  InformDesk desk;
  desk.subscribe(desk.wish(3, 64, 4));
  desk.subscribe(desk.wish(3, 65, 4));
  const auto by = [&](std::uint16_t number) {
    desk.data.assign(200, 0);
    put_bits(std::span<std::uint8_t>(desk.data), 0, 64, desk.gid_of("HcaB")[0]);
    put_bits(std::span<std::uint8_t>(desk.data), 64, 64, desk.gid_of("HcaB")[1]);
    put_bits(std::span<std::uint8_t>(desk.data), 128, 16, number);
    return desk.ask(desk.request(Method::get_table, SaAttr::inform_info_record, bits({0, 1})));
  };
  EXPECT_EQ(count(by(1)), 1u);
  EXPECT_EQ(count(by(0)), 1u);
  EXPECT_EQ(by(7).status, 0);
}

TEST(Wants, MatchesIssuerTypeTrapAndProducer) {
  InformDesk desk;
  desk.subscribe(desk.wish(3, 66, 4));
  const plan::Subscription& to = (*desk.state.subscriptions.find(desk.guid_of("HcaB")))->front();
  const Gid manager = desk.gid_of("HcaA");
  const auto bytes =
      notice_of({66, ipoib_broadcast(Pkey{0xffff}), {Pkey{0xffff}}}, desk.lid_of("HcaA"), manager);
  const auto notice = mad::decode<mad::Notice>(std::span<const std::uint8_t>(bytes));
  EXPECT_TRUE(wants(to, notice, manager));
  EXPECT_EQ(get_bits(std::span<const std::uint8_t>(bytes), 16 * 8, 64), 0xff12401bffff0000u)
      << "E15: MGID at 16";
  EXPECT_EQ(get_bits(std::span<const std::uint8_t>(bytes), 72 * 8, 64), manager[1]);
  plan::Subscription other = to;
  other.trap = 67;
  EXPECT_FALSE(wants(other, notice, manager));
  other = to;
  other.producer = 1;
  EXPECT_FALSE(wants(other, notice, manager));
  other = to;
  other.gid = desk.gid_of("HcaC");
  EXPECT_FALSE(wants(other, notice, manager));
  other.gid = manager;
  EXPECT_TRUE(wants(other, notice, manager));
  other = to;
  other.lid_begin = other.lid_end = Lid{77};
  EXPECT_FALSE(wants(other, notice, manager));
}

}  // namespace
}  // namespace weft::sa
