// Ports and links: what moves their state, what a lost link takes with it, what routers and GUID tables tell.
#include <gtest/gtest.h>

#include "mad/mlnx_ext_port_info.h"
#include "mad/port_info_extended.h"
#include "sim/link_training.h"
#include "tests/sim/agents_lab.h"

namespace weft::sim {
namespace {

using mad::AttrId;
using mad::PortInfo;
using mad::Status;
using std::chrono::milliseconds;

class Ports : public AgentsLab {};

/// A packet of general services from h0, which needs no agent to take it.
mad::Mad data_to(Lid lid) {
  mad::Mad mad = mad::to_mad(to_lid(get(AttrId::none, 0), lid));
  mad.bytes[1] = raw(mad::MgmtClass::subn_adm);
  mad.address.lid = lid;
  return mad;
}

TEST_F(Ports, BecomeActiveWhenDataComesIn) {
  manage();
  lab.info("s0", 3).state = PortState::active;
  lab.info("s1", 1).state = PortState::armed;
  lab.network.send(sm.client, data_to(lab.lid_of("h1")));
  EXPECT_EQ(lab.info("s1", 1).state, PortState::active);
}

TEST_F(Ports, StayArmedWhenOnlyManagementComesIn) {
  manage();
  lab.info("s1", 1).state = PortState::armed;
  sm.send(to_lid(get(AttrId::node_info, 0), lab.lid_of("s1")));
  sm.send(get(AttrId::node_info, 0, {1, 2}));
  pass(milliseconds(1));
  EXPECT_EQ(lab.info("s1", 1).state, PortState::armed);
}

TEST_F(Ports, SendNoDataWhileArmed) {
  manage();
  lab.info("s0", 2).state = PortState::armed;
  lab.network.send(sm.client, data_to(lab.lid_of("h1")));
  EXPECT_EQ(lab.network.drops(Drop::port_down), 1u);
  lab.info("s0", 2).state = PortState::active;
  lab.info("s1", 1).state = PortState::init;
  lab.network.send(sm.client, data_to(lab.lid_of("h1")));
  EXPECT_EQ(lab.network.drops(Drop::port_down), 2u) << "nor to a port that is not armed";
}

TEST_F(Ports, UseTheStrongestErrorCorrectionThatBothEndsHaveEnabled) {
  using mad::PortInfoExtended;
  const auto at_s0 = [&] { return told<PortInfoExtended>(get(AttrId::port_info_extended, 2, {1})); };
  EXPECT_EQ(at_s0().fec_active, 2) << "Reed-Solomon, on an HDR link";
  PortInfoExtended wanted;
  wanted.hdr_fec_enabled = 3;
  EXPECT_EQ(status_of(set(AttrId::port_info_extended, 1, wanted, {1, 2})), Status::ok);  // the other end
  EXPECT_EQ(at_s0().fec_active, 1);
  EXPECT_EQ(at_s0().hdr_fec_enabled, 7);
  wanted.hdr_fec_enabled = 8;
  EXPECT_EQ(status_of(set(AttrId::port_info_extended, 1, wanted, {1, 2})), Status::bad_value);
  wanted = {.ndr_fec_enabled = 1};
  EXPECT_EQ(status_of(set(AttrId::port_info_extended, 1, wanted, {1, 2})), Status::bad_value) << "no NDR";
  EXPECT_EQ(status_of(get(AttrId::port_info_extended, 9, {1})), Status::bad_value);
  lab.world.cut_link(lab.node("s0"), PortNum{2});
  EXPECT_EQ(at_s0().fec_active, 0);
}

TEST_F(Ports, OfferErrorCorrectionByCapability) {
  Settings old;
  old.port_info_extended = false;
  lab.world.equip(lab.node("s0"), old);
  lab.world.reboot(lab.node("s0"));
  EXPECT_EQ(status_of(get(AttrId::port_info_extended, 1, {1})), Status::bad_method_attribute);
  EXPECT_FALSE(has(told<PortInfo>(get(AttrId::port_info, 0, {1})), mad::PortCap2::port_info_extended));
  EXPECT_TRUE(has(told<PortInfo>(get(AttrId::port_info, 1)), mad::PortCap2::port_info_extended));
}

TEST_F(Ports, ForgetThePeerWhenTheLinkIsLostAndKeepTheRest) {
  manage();
  PortInfo& info = lab.info("h1", 1);
  info.neighbor_mtu = Mtu::mtu4096;
  info.operational_vls = VlCount::vl2;
  info.vl_high_limit = 9;
  info.m_key = 77;
  info.capabilities |= raw(mad::PortCap::is_sm);
  info.pkey_violations = 3;
  const PortInfo before = info;
  lab.world.cut_link(lab.node("s1"), PortNum{3});
  EXPECT_EQ(info.state, PortState::down);
  EXPECT_EQ(info.phys, PhysState::polling);
  EXPECT_EQ(info.neighbor_mtu, Mtu::mtu2048);
  EXPECT_EQ(info.operational_vls, info.vl_cap);
  EXPECT_EQ(info.vl_high_limit, 0);
  PortInfo rest = info;
  rest.state = before.state;
  rest.phys = before.phys;
  rest.neighbor_mtu = before.neighbor_mtu;
  rest.operational_vls = before.operational_vls;
  rest.vl_high_limit = before.vl_high_limit;
  EXPECT_EQ(rest, before) << "LID, SM LID, keys, IsSM and counters stay";
  lab.world.mend_link(lab.node("s1"), PortNum{3});
  EXPECT_EQ(info.state, PortState::init);
}

TEST_F(Ports, GoToSleepWhereThatIsTheirDefault) {
  lab.info("s0", 2).link_down_default = raw(PhysState::sleep);
  lab.world.cut_link(lab.node("s0"), PortNum{2});
  EXPECT_EQ(lab.info("s0", 2).phys, PhysState::sleep);
  EXPECT_EQ(lab.info("s1", 1).phys, PhysState::polling);
  lab.world.mend_link(lab.node("s0"), PortNum{2});
  EXPECT_EQ(lab.info("s0", 2).state, PortState::init) << "the peer's polling wakes it";
  lab.info("s0", 2).link_down_default = lab.info("s1", 1).link_down_default = raw(PhysState::sleep);
  lab.world.cut_link(lab.node("s0"), PortNum{2});
  lab.world.mend_link(lab.node("s0"), PortNum{2});
  EXPECT_EQ(lab.info("s0", 2).state, PortState::down) << "two sleepers never meet";
}

TEST_F(Ports, CountThatTheirLinkWentDown) {
  lab.world.cut_link(lab.node("s0"), PortNum{2});
  EXPECT_EQ(lab.world.perf().get(lab.port("s0", 2), PerfCounter::link_downed), 1u);
  EXPECT_EQ(lab.world.perf().get(lab.port("s1", 1), PerfCounter::link_downed), 1u);
  EXPECT_EQ(lab.world.perf().get(lab.port("s0", 3), PerfCounter::link_downed), 0u);
}

TEST_F(Ports, KeepAliasGuids) {
  mad::GuidInfo info;
  for (std::size_t i = 0; i < info.guids.size(); ++i) info.guids[i] = static_cast<Guid>(0x900 + i);
  const Guid own = lab.world.port(lab.port("h0", 1)).guid;
  const auto answer = told<mad::GuidInfo>(set(AttrId::guid_info, 0, info));
  EXPECT_EQ(answer.guids[0], own) << "read only";
  EXPECT_EQ(answer.guids[7], Guid{0x907});
  EXPECT_EQ(status_of(set(AttrId::guid_info, 3, info)), Status::ok);
  EXPECT_EQ(told<mad::GuidInfo>(get(AttrId::guid_info, 3)), info);
  EXPECT_EQ(told<mad::GuidInfo>(get(AttrId::guid_info, 2)).guids[0], Guid{});
  EXPECT_EQ(status_of(set(AttrId::guid_info, 4, info)), Status::bad_value) << "GUIDCap is 32";
  EXPECT_EQ(told<mad::GuidInfo>(set(AttrId::guid_info, 0, info, {1})).guids[5], Guid{0x905}) << "port 0";
  EXPECT_EQ(status_of(get(AttrId::guid_info, 1, {1})), Status::bad_value) << "GUIDCap of port 0 is 8";
  lab.world.set_guid(lab.node("h0"), Guid{0x5550});
  EXPECT_EQ(told<mad::GuidInfo>(get(AttrId::guid_info, 0)).guids[0], Guid{0x5551});
}

TEST_F(Ports, TakeWhatTheirNodeWasEquippedWithAtTheNextReboot) {
  Settings small;
  small.mtu_cap = Mtu::mtu1024;
  small.lft_capacity = 1024;
  small.pkeys = 16;
  lab.world.equip(lab.node("s0"), small);
  EXPECT_EQ(lab.info("s0", 2).mtu_cap, Mtu::mtu4096);
  lab.world.reboot(lab.node("s0"));
  EXPECT_EQ(lab.info("s0", 2).mtu_cap, Mtu::mtu1024);
  EXPECT_EQ(lab.info("s0", 2).neighbor_mtu, Mtu::mtu1024);
  EXPECT_EQ(status_of(get(AttrId::linear_forwarding, 16, {1})), Status::bad_value);
  EXPECT_EQ(status_of(get(AttrId::pkey_table, 2u << 16 | 1, {1})), Status::bad_value);
  EXPECT_EQ(lab.info("s1", 2).mtu_cap, Mtu::mtu4096);
}

class WithRouter : public AgentsLab {
 protected:
  static topology::Topology fabric() {
    Cabling c;
    const auto sw = c.add_switch(4);
    c.host_at(sw, 1);
    const auto router = c.add_host(2);
    c.topology.nodes[router].type = NodeType::router;
    c.cable(router, 1, sw, 2);
    c.cable(router, 2, sw, 3);
    return c.topology;
  }
  WithRouter() : AgentsLab({}, fabric()) {}
};

TEST_F(WithRouter, TellsARouterWhosePortsAreLikeAnHcas) {
  const auto first = told<mad::NodeInfo>(get(AttrId::node_info, 0, {1, 2}));
  EXPECT_EQ(first.type, NodeType::router);
  EXPECT_EQ(first.port_count, 2);
  const auto second = told<mad::NodeInfo>(get(AttrId::node_info, 0, {1, 3}));
  EXPECT_EQ(second.local_port, PortNum{2});
  EXPECT_NE(second.port_guid, first.port_guid);
  EXPECT_EQ(second.node_guid, first.node_guid);
  EXPECT_EQ(status_of(get(AttrId::switch_info, 0, {1, 2})), Status::bad_method_attribute);
  PortInfo info = lab.info("h1", 2);
  info.state = PortState::armed;
  info.phys = PhysState::no_change;
  info.lid = Lid{9};
  EXPECT_EQ(status_of(set(AttrId::port_info, 0, info, {1, 3})), Status::ok) << "0: the port that was asked";
  EXPECT_EQ(lab.info("h1", 2).lid, Lid{9});
  EXPECT_EQ(lab.info("h1", 2).state, PortState::armed);
  EXPECT_EQ(lab.info("h1", 1).state, PortState::init);
}

class WithFdr10 : public AgentsLab {
 protected:
  static topology::Topology fabric() {
    Cabling c;
    const auto sw = c.add_switch(4);
    c.host_at(sw, 1, LinkSpeed::fdr10);
    const auto other = c.host_at(sw, 2);
    c.topology.nodes[other].vendor = 0x1175;
    return c.topology;
  }
  WithFdr10() : AgentsLab({}, fabric()) {}
};

TEST_F(WithFdr10, TellsFdr10InTheMakersOwnAttribute) {
  const auto info = told<mad::MlnxExtPortInfo>(get(AttrId::mlnx_ext_port_info, 1, {1}));
  EXPECT_EQ(info.speed_supported, 1);
  EXPECT_EQ(info.speed_active, 1);
  EXPECT_EQ(mad::active_speed(lab.info("s0", 1), info), LinkSpeed::fdr10);
  EXPECT_EQ(told<mad::MlnxExtPortInfo>(get(AttrId::mlnx_ext_port_info, 2, {1})).speed_supported, 0);
  EXPECT_EQ(status_of(get(AttrId::mlnx_ext_port_info, 9, {1})), Status::bad_value);
  EXPECT_EQ(status_of(get(AttrId::mlnx_ext_port_info, 1, {1, 2})), Status::bad_method_attribute)
      << "another maker's";
}

TEST_F(WithFdr10, TrainsWithoutFdr10WhereItIsOff) {
  mad::MlnxExtPortInfo info;
  info.state_change_enable = 1;
  EXPECT_EQ(status_of(set(AttrId::mlnx_ext_port_info, 1, info, {1})), Status::ok);
  lab.world.cut_link(lab.node("s0"), PortNum{1});
  lab.world.mend_link(lab.node("s0"), PortNum{1});
  EXPECT_EQ(told<mad::MlnxExtPortInfo>(get(AttrId::mlnx_ext_port_info, 1, {1})).speed_active, 0);
  EXPECT_EQ(lab.info("s0", 1).speed_active, 4) << "QDR";
  info.speed_enabled = 1;
  EXPECT_EQ(status_of(set(AttrId::mlnx_ext_port_info, 2, info, {1})), Status::bad_value) << "not supported";
}

TEST(LinkTraining, AgreesOnXdrByTwoLanesWithAMixedPeer) {
  PortInfo wide;
  PortInfo narrow;
  support(wide, LinkWidth::x4, LinkSpeed::xdr);
  support(narrow, LinkWidth::x2, LinkSpeed::xdr);
  wide.width_enabled = wide.width_supported = raw(LinkWidth::x1) | raw(LinkWidth::x4) | raw(LinkWidth::x2);
  ASSERT_TRUE(agree(wide, narrow));
  EXPECT_EQ(wide.width_active, LinkWidth::x2);
  EXPECT_EQ(mad::active_speed(narrow), LinkSpeed::xdr);
  narrow.speed_ext2_enabled = 6;  // off
  ASSERT_TRUE(agree(wide, narrow));
  EXPECT_EQ(mad::active_speed(wide), LinkSpeed::ndr);
}

}  // namespace
}  // namespace weft::sim
