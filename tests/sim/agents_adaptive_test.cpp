// The adaptive-routing attributes: who offers them, what is kept and refused, and where LIDs then go.
#include <gtest/gtest.h>

#include "sim/adaptive.h"
#include "tests/sim/agents_lab.h"

namespace weft::sim {
namespace {

using mad::ArInfo;
using mad::ArLidState;
using mad::AttrId;
using mad::GeneralCap;
using mad::Status;

constexpr std::uint32_t kCapabilities = mad::kGeneralInfoCapabilities;

class NoAr : public AgentsLab {};

TEST_F(NoAr, IsOfferedByDefault) {
  const auto info = told<mad::GeneralInfo>(get(AttrId::general_info, kCapabilities, {1}));
  EXPECT_FALSE(has(info, GeneralCap::adaptive_routing));
  EXPECT_TRUE(has(info, GeneralCap::ext_port_info));
  for (const AttrId attribute : {AttrId::ar_info, AttrId::ar_group_table, AttrId::ar_lft, AttrId::plft_info,
                                 AttrId::rn_rcv_string, AttrId::hbf_config})
    EXPECT_EQ(status_of(get(attribute, 0, {1})), Status::bad_method_attribute) << name(attribute);
  EXPECT_FALSE(adaptive_exits(lab.world, lab.node("s0"), PortNum{1}, Sl{0}, Lid{1}));
}

class Ar : public AgentsLab {
 protected:
  static Settings settings() {
    Settings made;
    made.adaptive.offered = true;
    made.adaptive.elements = 64;
    made.adaptive.sub_groups = 4;
    made.adaptive.plfts = 2;
    return made;
  }
  explicit Ar(const Settings& made = settings()) : AgentsLab(made) {}

  ArInfo info() { return told<ArInfo>(get(AttrId::ar_info, 0, {1})); }
  Status put(const ArInfo& wanted) { return status_of(set(AttrId::ar_info, 0, wanted, {1})); }
  Status put_group(std::uint32_t group, mad::PortMask first, mad::PortMask second) {
    mad::ArGroupTable table;
    mad::set_element(table, 0, first);
    mad::set_element(table, 1, second);
    return status_of(set(AttrId::ar_group_table, mad::ar_group_modifier(group), table, {1}));
  }
  Status put_entry(int lid, const mad::ArLftEntry& entry, std::uint32_t plft = 0) {
    mad::ArLft block;
    block.entries.fill(mad::pack({}));
    block.entries[static_cast<std::size_t>(lid) % 16] = mad::pack(entry);
    return status_of(
        set(AttrId::ar_lft, mad::ar_lft_modifier(static_cast<std::uint32_t>(lid) / 16, plft), block, {1}));
  }
  void enable() {
    ArInfo wanted = info();
    wanted.enable = true;
    ASSERT_EQ(put(wanted), Status::ok);
  }
  std::optional<AdaptiveExits> exits(int lid, Sl sl = Sl{0}, PortNum in = PortNum{3}) {
    return adaptive_exits(lab.world, lab.node("s0"), in, sl, static_cast<Lid>(lid));
  }
};

TEST_F(Ar, IsToldByGeneralInfo) {
  const auto told_info = told<mad::GeneralInfo>(get(AttrId::general_info, kCapabilities, {1}));
  EXPECT_TRUE(has(told_info, GeneralCap::adaptive_routing));
  EXPECT_TRUE(has(told_info, GeneralCap::private_lft));
  EXPECT_EQ(status_of(get(AttrId::general_info, 0, {1})), Status::bad_value);
  const auto host = told<mad::GeneralInfo>(get(AttrId::general_info, kCapabilities));
  EXPECT_FALSE(has(host, GeneralCap::adaptive_routing));
  EXPECT_EQ(status_of(get(AttrId::ar_info, 0)), Status::bad_method_attribute) << "a host has none";
}

TEST_F(Ar, TellsTheCapacityThatOtherSettingsWouldGive) {
  EXPECT_EQ(info().sub_groups, 2);
  EXPECT_EQ(info().group_cap, 32);
  ArInfo wanted = info();
  wanted.sub_groups = 4;
  mad::Smp question = set(AttrId::ar_info, mad::kArInfoGetCapability, wanted, {1});
  question.method = mad::Method::get;
  EXPECT_EQ(told<ArInfo>(question).group_cap, 16);
  EXPECT_EQ(info().group_cap, 32) << "asking changes nothing";
  ASSERT_EQ(put(wanted), Status::ok);
  EXPECT_EQ(info().group_cap, 16);
}

TEST_F(Ar, KeepsWhatCanBeSetAndRefusesTheRest) {
  ArInfo wanted = info();
  wanted.by_sl = true;
  wanted.sl_mask = 0x00ff;
  wanted.transport_disable = 5;
  wanted.ageing_us = 30;
  wanted.group_top = 31;
  wanted.fr_enable = true;
  wanted.group_cap = 4000;  // read only
  ASSERT_EQ(put(wanted), Status::ok);
  wanted.group_cap = 32;
  EXPECT_EQ(info(), wanted);
  const auto refused = [&](auto change) {
    ArInfo bad = wanted;
    bad.ageing_us = 99;
    change(bad);
    return put(bad) == Status::bad_value && info() == wanted;
  };
  EXPECT_TRUE(refused([](ArInfo& i) { i.group_top = 32; }));
  EXPECT_TRUE(refused([](ArInfo& i) { i.sub_groups = 5; }));
  EXPECT_TRUE(refused([](ArInfo& i) { i.rn_xmit_enable = true; }));
  EXPECT_TRUE(refused([](ArInfo& i) { i.hbf = true; }));
  EXPECT_TRUE(refused([](ArInfo& i) { i.pfrn = true; }));
}

TEST_F(Ar, KeepsGroupsWithinTheirCapacity) {
  EXPECT_EQ(put_group(3, mad::PortMask(0x06), mad::PortMask(0x10)), Status::ok);
  const auto table = told<mad::ArGroupTable>(get(AttrId::ar_group_table, 3, {1}));
  EXPECT_EQ(mad::element_of(table, 0), mad::PortMask(0x06));
  EXPECT_EQ(mad::element_of(table, 1), mad::PortMask(0x10));
  EXPECT_EQ(put_group(31, mad::PortMask(0x02), {}), Status::ok);
  EXPECT_EQ(put_group(32, mad::PortMask(0x02), {}), Status::bad_value) << "GroupCap";
  EXPECT_EQ(put_group(0, mad::PortMask(0x20), {}), Status::bad_value) << "the switch has 4 ports";
  EXPECT_EQ(put_group(0, mad::PortMask(0x01), {}), Status::bad_value) << "port 0";
  EXPECT_EQ(status_of(get(AttrId::ar_group_table, mad::ar_group_modifier(0, 1), {1})), Status::bad_value);
}

TEST_F(Ar, CopiesGroups) {
  ASSERT_EQ(put_group(3, mad::PortMask(0x06), mad::PortMask(0x10)), Status::ok);
  EXPECT_EQ(status_of(set(AttrId::ar_group_copy, 3, mad::ArGroupCopy{.last = 9, .first = 8}, {1})),
            Status::ok);
  const Adaptive& held = *lab.world.switch_of(lab.node("s0")).adaptive;
  EXPECT_EQ(group_ports(held, 8, 0), mad::PortMask(0x06));
  EXPECT_EQ(group_ports(held, 9, 1), mad::PortMask(0x10));
  EXPECT_TRUE(group_ports(held, 10, 0).none());
  EXPECT_EQ(status_of(set(AttrId::ar_group_copy, 3, mad::ArGroupCopy{.last = 32, .first = 8}, {1})),
            Status::bad_value);
  EXPECT_EQ(status_of(set(AttrId::ar_group_copy, 3, mad::ArGroupCopy{.last = 4, .first = 8}, {1})),
            Status::bad_value);
  EXPECT_EQ(status_of(get(AttrId::ar_group_copy, 3, {1})), Status::bad_method_attribute) << "Set only";
}

TEST_F(Ar, SendsByTheGroupsPortsOnceEnabled) {
  ASSERT_EQ(put_group(1, mad::PortMask(0x04), mad::PortMask(0x10)), Status::ok);
  ASSERT_EQ(put_entry(37, {ArLidState::free, 0, PortNum{2}, 1}), Status::ok);
  EXPECT_FALSE(exits(37)) << "not enabled: the ordinary table counts";
  enable();
  ASSERT_TRUE(exits(37));
  EXPECT_EQ(exits(37)->state, ArLidState::free);
  EXPECT_EQ(exits(37)->fixed, PortNum{2});
  EXPECT_EQ(exits(37)->ports, mad::PortMask(0x14)) << "all sub-groups";
  EXPECT_EQ(exits(38)->fixed, kPortDrop) << "no entry";
  EXPECT_EQ(exits(4000)->fixed, kPortDrop);
  ASSERT_EQ(put_entry(53, {ArLidState::fixed, 0, PortNum{1}, 1}), Status::ok);
  EXPECT_TRUE(exits(53)->ports.none()) << "the group is for recovery only";
}

TEST_F(Ar, AdaptsTheLevelsOfItsMaskOnly) {
  ASSERT_EQ(put_group(1, mad::PortMask(0x14), {}), Status::ok);
  ASSERT_EQ(put_entry(37, {ArLidState::free, 0, PortNum{2}, 1}), Status::ok);
  ArInfo wanted = info();
  wanted.enable = wanted.by_sl = true;
  wanted.sl_mask = 0x0002;
  ASSERT_EQ(put(wanted), Status::ok);
  EXPECT_EQ(exits(37, Sl{1})->state, ArLidState::free);
  EXPECT_EQ(exits(37, Sl{0})->state, ArLidState::fixed);
  EXPECT_EQ(exits(37, Sl{0})->fixed, PortNum{2});
}

TEST_F(Ar, RefusesEntriesOfGroupsItHasNot) {
  EXPECT_EQ(put_entry(37, {ArLidState::free, 0, PortNum{2}, 32}), Status::bad_value);
  EXPECT_EQ(put_entry(37, {ArLidState::free, 1, PortNum{2}, 0}), Status::bad_value);
  EXPECT_EQ(put_entry(37, {}, 2), Status::bad_value) << "two private tables";
  EXPECT_EQ(status_of(get(AttrId::ar_lft, 0xc00, {1})), Status::bad_value) << "LID 0xc000";
  EXPECT_EQ(told<mad::ArLft>(get(AttrId::ar_lft, 2, {1})).entries[5], mad::pack({})) << "nothing was kept";
}

TEST_F(Ar, LooksIntoThePrivateTableOfPortAndLevel) {
  enable();
  ASSERT_EQ(put_entry(5, {ArLidState::fixed, 0, PortNum{1}, 0}), Status::ok);
  ASSERT_EQ(put_entry(5, {ArLidState::fixed, 0, PortNum{2}, 0}, 1), Status::ok);
  mad::PortSlToPlft map;
  map.plft[3 * 16 + 1] = 1;  // in by port 3 on level 1
  ASSERT_EQ(status_of(set(AttrId::port_sl_to_plft, 0, map, {1})), Status::ok);
  EXPECT_EQ(exits(5, Sl{1})->fixed, PortNum{1}) << "no mode is active";
  mad::PlftInfo mode = told<mad::PlftInfo>(get(AttrId::plft_info, 0, {1}));
  mode.active_mode = 1;
  ASSERT_EQ(status_of(set(AttrId::plft_info, 0, mode, {1})), Status::ok);
  EXPECT_EQ(exits(5, Sl{1})->fixed, PortNum{2});
  EXPECT_EQ(exits(5, Sl{0})->fixed, PortNum{1});
  EXPECT_EQ(exits(5, Sl{1}, PortNum{1})->fixed, PortNum{1});
  map.plft[0] = 2;
  EXPECT_EQ(status_of(set(AttrId::port_sl_to_plft, 0, map, {1})), Status::bad_value) << "no such table";
  mode.active_mode = 2;
  EXPECT_EQ(status_of(set(AttrId::plft_info, 0, mode, {1})), Status::bad_value);
}

TEST_F(Ar, LooksIntoThePrivateTableThatAPortIsMappedTo) {
  lab.world.switch_of(lab.node("s0")).adaptive->plft_info.active_mode = 1;
  mad::PlftMap map;
  map.ports_enable = true;
  map.ports[31] = 0x08;  // port 3
  ASSERT_EQ(status_of(set(AttrId::plft_map, mad::plft_map_modifier(1), map, {1})), Status::ok);
  EXPECT_EQ(plft_for(lab.world, lab.node("s0"), PortNum{3}, Sl{0}), 1);
  EXPECT_EQ(plft_for(lab.world, lab.node("s0"), PortNum{2}, Sl{0}), 0);
  EXPECT_EQ(status_of(set(AttrId::plft_map, mad::plft_map_modifier(2), map, {1})), Status::bad_value);
}

TEST_F(Ar, LosesEverythingInAReboot) {
  enable();
  lab.world.reboot(lab.node("s0"));
  EXPECT_FALSE(exits(5));
  EXPECT_EQ(info().group_cap, 32);
}

class OldAr : public Ar {
 protected:
  static Settings old() {
    Settings made = settings();
    made.adaptive.lft_write_disables = true;
    made.adaptive.notifications = true;
    return made;
  }
  OldAr() : Ar(old()) {}
};

TEST_F(OldAr, IsSwitchedOffByASetOfTheOrdinaryTable) {
  enable();
  EXPECT_EQ(status_of(set(AttrId::linear_forwarding, 0, mad::LinearForwardingTable{}, {1})), Status::ok);
  EXPECT_FALSE(info().enable);
}

TEST_F(OldAr, KeepsNotificationTablesBlockByBlock) {
  mad::AttrData data{};
  data[5] = 9;
  mad::Smp smp = request(mad::Method::set, AttrId::rn_direction, 0, {1});
  smp.data = data;
  EXPECT_EQ(sm.ask(smp)->data, data);
  EXPECT_EQ(status_of(get(AttrId::rn_direction, 1, {1})), Status::bad_value) << "64 elements are one block";
  EXPECT_EQ(status_of(get(AttrId::hbf_config, 0, {1})), Status::bad_method_attribute);
}

}  // namespace
}  // namespace weft::sim
