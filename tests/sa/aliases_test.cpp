// Cases T26 to T39 and P42: alias GUIDs. Names carry the cases' numbers.

#include "sa/aliases.h"

#include <gtest/gtest.h>

#include "mad/port_info.h"
#include "mad/tables.h"
#include "tests/sa/desk.h"

namespace weft::sa {
namespace {

using mad::Method;
using mad::SaAttr;

struct AliasDesk : Desk {
  AliasDesk() {
    for (const End& end : index.ends()) {
      mad::PortInfo info;
      info.guid_cap = 24;
      devices.set(index.fabric().node(end.port.node).guid, mad::AttrId::port_info, raw(end.port.port),
                  mad::encode(info));
    }
  }
  /// Names the GUIDs of places 1, 2, ... of a block.
  Answer alias(Method method, std::vector<std::uint64_t> guids, std::uint8_t block = 0,
               std::string_view node = "HcaB") {
    data.assign(200, 0);
    put_bits(std::span<std::uint8_t>(data), 0, 16, raw(lid_of(node)));
    data[2] = block;
    std::uint64_t mask = bits({0, 1});
    for (std::size_t i = 0; i < guids.size(); ++i) {
      put_bits(std::span<std::uint8_t>(data), (16 + i * 8) * 8, 64, guids[i]);
      mask |= bit(5 + static_cast<int>(i));
    }
    return ask(request(method, SaAttr::guid_info_record, mask));
  }
  static std::uint64_t slot(const Answer& answer, std::size_t place) {
    return get_bits(answer.data, (8 + place * 8) * 8, 64);
  }
};

TEST(T26ToT28, GuidsByBlock) {
  AliasDesk desk;
  EXPECT_EQ(count(desk.table(SaAttr::guid_info_record)), 6u * 3);
  desk.data.assign(200, 0);
  put_bits(std::span<std::uint8_t>(desk.data), 0, 16, raw(desk.lid_of("HcaB")));
  const Answer first = desk.ask(desk.request(Method::get, SaAttr::guid_info_record, bits({0, 1})));
  EXPECT_EQ(AliasDesk::slot(first, 0), raw(desk.guid_of("HcaB")));
  desk.data[2] = 200;
  EXPECT_EQ(desk.ask(desk.request(Method::get, SaAttr::guid_info_record, bits({0, 1}))).status, 0x0300);
}

TEST(T30ToT33, WhatCannotBeSet) {
  AliasDesk desk;
  desk.data.assign(200, 0);
  EXPECT_EQ(desk.ask(desk.request(Method::set, SaAttr::guid_info_record, bit(0))).status, 0x0600);
  EXPECT_EQ(desk.ask(desk.request(Method::delete_, SaAttr::guid_info_record, 0)).status, 0x0600);
  EXPECT_EQ(desk.ask(desk.request(Method::set, SaAttr::guid_info_record, bits({0, 1, 5}))).status, 0x0300);
  EXPECT_EQ(desk.alias(Method::set, {7}, 200).status, 0x0300);
  put_bits(std::span<std::uint8_t>(desk.data), 0, 16, raw(desk.lid_of("HcaB")));
  desk.data[2] = 0;
  EXPECT_EQ(desk.ask(desk.request(Method::set, SaAttr::guid_info_record, bits({0, 1, 4}))).status, 0x0200);
}

TEST(T34ToT37, AliasesAreGivenChosenDeclinedAndTakenAway) {
  AliasDesk desk;
  const Answer set = desk.alias(Method::set, {0xabc, 0});
  EXPECT_EQ(set.status, 0);
  EXPECT_EQ(AliasDesk::slot(set, 1), 0xabcu);
  const std::uint64_t chosen = AliasDesk::slot(set, 2);
  EXPECT_NE(chosen, 0u) << "T35";
  EXPECT_EQ(set.new_guids, desk.guid_of("HcaB"));
  EXPECT_EQ(AliasDesk::slot(desk.alias(Method::set, {0, 0}), 2), chosen) << "and kept";
  const Answer taken = desk.alias(Method::set, {0xabc, raw(desk.guid_of("HcaA"))}, 0, "HcaC");
  EXPECT_EQ(taken.status, 0);
  EXPECT_EQ(AliasDesk::slot(taken, 1), 0u) << "T36";
  EXPECT_EQ(AliasDesk::slot(taken, 2), 0u);
  const Answer gone = desk.alias(Method::delete_, {0});
  EXPECT_EQ(gone.status, 0);
  EXPECT_EQ(gone.method, Method::delete_resp);
  EXPECT_EQ(AliasDesk::slot(gone, 1), 0u) << "T37";
  EXPECT_EQ(AliasDesk::slot(gone, 2), chosen) << "what is left is told";
  EXPECT_EQ(desk.alias(Method::delete_, {0}).status, 0);
}

TEST(T38, AnAliasThatIsAMemberStays) {
  AliasDesk desk;
  desk.alias(Method::set, {0xabc});
  mad::McMemberRecord record;
  record.mgid = ipoib_broadcast(Pkey{0xffff});
  record.port_gid = {kLinkLocalPrefix, 0xabc};
  record.join_state = 1;
  ASSERT_EQ(desk.ask(Method::set, SaAttr::mc_member_record, bits({0, 1, 16}), record).status, 0);
  EXPECT_EQ(desk.alias(Method::delete_, {0}).status, 0x0700);
  EXPECT_EQ(plan::registered_ports(desk.state), std::vector{desk.guid_of("HcaB")});
}

TEST(T39, WhenNoGuidIsLeftToChooseNothingIsSet) {
  AliasDesk desk;
  desk.options.alias_guids = 3;
  const Answer two = desk.alias(Method::set, {0, 0});
  ASSERT_EQ(two.status, 0);
  EXPECT_NE(AliasDesk::slot(two, 1), AliasDesk::slot(two, 2));
  EXPECT_EQ(desk.alias(Method::set, {0, 0}, 0, "HcaC").status, 0x0100) << "one is left, two are wanted";
  EXPECT_EQ(desk.state.port_guids.find(desk.guid_of("HcaC")), nullptr);
  EXPECT_EQ(desk.alias(Method::set, {0}, 0, "HcaC").status, 0);
  EXPECT_EQ(desk.alias(Method::set, {0xabc}, 0, "HcaD").status, 0) << "a given one needs no choice";
  EXPECT_EQ(desk.alias(Method::set, {0xabc, 0}, 0, "HcaD").status, 0x0100);
  desk.alias(Method::delete_, {0});
  EXPECT_EQ(desk.alias(Method::set, {0xabc, 0}, 0, "HcaD").status, 0);
}

TEST(P42, PathsToAnAliasLeadToItsPort) {
  AliasDesk desk;
  desk.alias(Method::set, {0xabc}, 0, "HcaC");
  mad::PathRecord asked;
  asked.sgid = desk.gid_of("HcaB");
  asked.dgid = {kLinkLocalPrefix, 0xabc};
  const Answer got = desk.ask(Method::get, SaAttr::path_record, bits({2, 3}), asked);
  ASSERT_EQ(got.status, 0);
  EXPECT_EQ(record<mad::PathRecord>(got).dgid, asked.dgid);
  EXPECT_EQ(record<mad::PathRecord>(got).dlid, desk.lid_of("HcaC"));
}

}  // namespace
}  // namespace weft::sa
