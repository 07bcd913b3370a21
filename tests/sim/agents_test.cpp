#include <gtest/gtest.h>

#include "sim/link_training.h"
#include "tests/sim/fabrics.h"

namespace weft::sim {
namespace {

using mad::AttrId;
using mad::PortInfo;
using mad::Status;
using mad::SwitchInfo;

constexpr std::uint32_t kExtended = 0x80000000u;

/// Two switches in a row, a host at each; the program sits at h0, s0 is one hop away.
class Agents : public ::testing::Test {
 protected:
  explicit Agents(Settings settings = {}) : lab(row_of(2, false), settings), sm(lab, "h0", 1) {}

  PortInfo port_at_s0(int port, std::uint32_t flags = kExtended) {
    return mad::decode<PortInfo>(
        sm.ask(get(AttrId::port_info, flags | static_cast<unsigned>(port), {1}))->data);
  }
  Status set_port_at_s0(int port, PortInfo info, std::uint32_t flags = kExtended) {
    return static_cast<Status>(
        sm.ask(set(AttrId::port_info, flags | static_cast<unsigned>(port), info, {1}))->status);
  }
  /// What the port holds, as a Set that changes nothing.
  PortInfo unchanged(int port) {
    PortInfo info = port_at_s0(port);
    info.state = PortState::no_change;
    info.phys = PhysState::no_change;
    return info;
  }
  Status set_state(int port, PortState state) {
    PortInfo info = unchanged(port);
    info.state = state;
    return set_port_at_s0(port, info);
  }
  Status status_of(const mad::Smp& smp) { return static_cast<Status>(sm.ask(smp)->status); }
  bool changed(std::string_view sw) { return lab.world.switch_of(lab.node(sw)).info.state_changed; }

  Lab lab;
  Listener sm;
};

TEST_F(Agents, TellNodeInfoWithTheArrivalPort) {
  const auto info = mad::decode<mad::NodeInfo>(sm.ask(get(AttrId::node_info, 0, {1, 2}))->data);
  EXPECT_EQ(info.type, NodeType::switch_);
  EXPECT_EQ(info.local_port, PortNum{1});
  EXPECT_EQ(info.node_guid, lab.world.node(lab.node("s1")).guid);
  EXPECT_EQ(info.port_count, 4);
  const auto own = mad::decode<mad::NodeInfo>(sm.ask(get(AttrId::node_info, 0))->data);
  EXPECT_EQ(own.type, NodeType::hca);
  EXPECT_EQ(own.port_guid, lab.world.port(lab.port("h0", 1)).guid);
}

TEST_F(Agents, TellTheDescription) {
  lab.world.rename(lab.node("s0"), "leaf one");
  EXPECT_EQ(mad::decode<mad::NodeDescription>(sm.ask(get(AttrId::node_description, 0, {1}))->data).text,
            "leaf one");
}

TEST_F(Agents, TellThePortsGuid) {
  const auto info = mad::decode<mad::GuidInfo>(sm.ask(get(AttrId::guid_info, 0))->data);
  EXPECT_EQ(info.guids[0], lab.world.port(lab.port("h0", 1)).guid);
  EXPECT_EQ(status_of(get(AttrId::guid_info, 4)), Status::bad_value) << "32 GUIDs";
}

TEST_F(Agents, RefuseWhatTheyDoNotKnow) {
  EXPECT_EQ(status_of(get(AttrId::random_forwarding, 0, {1})), Status::bad_method_attribute);
  EXPECT_EQ(status_of(request(mad::Method::set, AttrId::node_info, 0, {1})), Status::bad_method_attribute);
  EXPECT_EQ(status_of(get(AttrId::switch_info, 0)), Status::bad_method_attribute) << "an HCA is no switch";
  EXPECT_EQ(status_of(request(mad::Method::get_table, AttrId::node_info, 0, {1})), Status::bad_method);
  EXPECT_EQ(status_of(get(AttrId::port_info, 5, {1})), Status::bad_value) << "the switch has 4 ports";
  EXPECT_EQ(status_of(get(AttrId::switch_port_state, 0, {1})), Status::bad_method_attribute);
}

TEST_F(Agents, RefuseAnotherVersion) {
  mad::Mad mad = mad::to_mad(get(AttrId::node_info, 0, {1}));
  mad.bytes[2] = 9;
  lab.network.send(sm.client, mad);
  lab.clock.run_until(std::chrono::milliseconds(1));
  ASSERT_EQ(sm.got.size(), 1u);
  EXPECT_EQ(mad::to_smp(sm.got[0])->status, raw(Status::bad_version));
}

TEST_F(Agents, ArmAndActivateOneStepAtATime) {
  EXPECT_EQ(port_at_s0(2).state, PortState::init);
  EXPECT_EQ(set_state(2, PortState::active), Status::bad_value);
  EXPECT_EQ(set_state(2, PortState::armed), Status::ok);
  EXPECT_EQ(set_state(2, PortState::armed), Status::bad_value) << "repeated";
  EXPECT_EQ(set_state(2, PortState::active), Status::ok) << "whatever the peer does";
  EXPECT_EQ(port_at_s0(2).state, PortState::active);
  EXPECT_EQ(set_state(2, PortState::armed), Status::bad_value);
  EXPECT_EQ(set_state(2, PortState::init), Status::bad_value);
  EXPECT_EQ(set_state(4, PortState::armed), Status::bad_value) << "no cable";
  EXPECT_EQ(set_state(0, PortState::armed), Status::bad_value) << "port 0 has no link";
}

TEST_F(Agents, RestartALinkAtBothEnds) {
  lab.make_active();
  lab.world.switch_of(lab.node("s0")).info.state_changed = false;
  EXPECT_EQ(set_state(2, PortState::down), Status::ok);
  EXPECT_EQ(lab.info("s0", 2).state, PortState::init);
  EXPECT_EQ(lab.info("s1", 1).state, PortState::init);
  EXPECT_TRUE(changed("s0"));
  EXPECT_TRUE(changed("s1"));
}

TEST_F(Agents, DisableAndEnableALink) {
  PortInfo info = unchanged(2);
  info.state = PortState::down;
  info.phys = PhysState::disabled;
  EXPECT_EQ(set_port_at_s0(2, info), Status::ok);
  EXPECT_EQ(lab.info("s0", 2).phys, PhysState::disabled);
  EXPECT_EQ(lab.info("s1", 1).phys, PhysState::polling);
  EXPECT_EQ(lab.info("s1", 1).state, PortState::down);
  EXPECT_EQ(set_state(2, PortState::down), Status::ok);
  EXPECT_EQ(lab.info("s0", 2).phys, PhysState::disabled) << "Down alone does not enable";
  info.state = PortState::no_change;
  info.phys = PhysState::polling;
  EXPECT_EQ(set_port_at_s0(2, info), Status::ok);
  EXPECT_EQ(lab.info("s0", 2).state, PortState::init);
  EXPECT_EQ(lab.info("s1", 1).state, PortState::init);
}

TEST_F(Agents, KeepEveryFieldOfAnEndPort) {
  PortInfo info = unchanged(0);
  info.m_key = 0x1234;
  info.m_key_lease = 15;
  info.m_key_protect = 1;
  info.gid_prefix = 0xfe80000000000000;
  info.lid = Lid{17};
  info.sm_lid = Lid{4};
  info.sm_sl = Sl{3};
  info.subnet_timeout = 12;
  info.init_type = 5;
  EXPECT_EQ(set_port_at_s0(0, info), Status::ok);
  PortInfo held = port_at_s0(0);
  EXPECT_EQ(held.m_key, 0u) << "told to nobody without it";
  held.m_key = lab.info("s0", 0).m_key;
  info.state = held.state;
  info.phys = held.phys;
  EXPECT_EQ(held, info);
}

TEST_F(Agents, KeepEveryFieldOfALinkPort) {
  PortInfo info = unchanged(2);
  info.neighbor_mtu = Mtu::mtu4096;
  info.operational_vls = VlCount::vl4;
  info.vl_high_limit = 9;
  info.vl_stall_count = 3;
  info.hoq_life = 11;
  info.local_phy_errors = 2;
  info.overrun_errors = 3;
  info.enforce_in = info.enforce_out = info.filter_raw_in = info.filter_raw_out = true;
  EXPECT_EQ(set_port_at_s0(2, info), Status::ok);
  PortInfo held = port_at_s0(2);
  info.state = held.state;
  info.phys = held.phys;
  EXPECT_EQ(held, info);
}

TEST_F(Agents, ChangeNothingWhenOneFieldIsBad) {
  const auto refused = [&](int port, auto change) {
    const PortInfo before = lab.info("s0", port);
    PortInfo info = unchanged(port);
    info.hoq_life = 1;
    info.subnet_timeout = 1;
    change(info);
    return set_port_at_s0(port, info) == Status::bad_value && lab.info("s0", port) == before;
  };
  EXPECT_TRUE(refused(0, [](PortInfo& i) { i.lid = Lid{0xc000}; }));
  EXPECT_TRUE(refused(0, [](PortInfo& i) { i.sm_lid = Lid{0xffff}; }));
  EXPECT_TRUE(refused(0, [](PortInfo& i) { i.lmc = 2; })) << "a base port 0 has one LID";
  EXPECT_TRUE(refused(2, [](PortInfo& i) { i.neighbor_mtu = Mtu::none; }));
  EXPECT_TRUE(refused(2, [](PortInfo& i) { i.neighbor_mtu = static_cast<Mtu>(6); }));
  EXPECT_TRUE(refused(2, [](PortInfo& i) { i.operational_vls = VlCount::vl15; }));
  EXPECT_TRUE(refused(2, [](PortInfo& i) { i.width_enabled = 8; }));
  EXPECT_TRUE(refused(2, [](PortInfo& i) { i.speed_enabled = 8; }));
  EXPECT_TRUE(refused(2, [](PortInfo& i) { i.speed_ext_enabled = 8; })) << "an HDR port has no NDR";
  EXPECT_TRUE(refused(2, [](PortInfo& i) { i.phys = PhysState::link_up; }));
  EXPECT_TRUE(refused(2, [](PortInfo& i) { i.link_down_default = 3; }));
}

TEST_F(Agents, RefuseAMisalignedLid) {
  PortInfo info = lab.info("h0", 1);
  info.state = PortState::no_change;
  info.phys = PhysState::no_change;
  info.lmc = 2;
  info.lid = Lid{6};
  EXPECT_EQ(status_of(set(AttrId::port_info, 1, info)), Status::bad_value);
  info.lid = Lid{8};
  EXPECT_EQ(status_of(set(AttrId::port_info, 1, info)), Status::ok);
  EXPECT_TRUE(lab.world.owns(lab.port("h0", 1), Lid{11}));
}

TEST_F(Agents, EchoClientReregisterOnce) {
  PortInfo info = unchanged(0);
  info.client_reregister = true;
  const auto answer = sm.ask(set(AttrId::port_info, kExtended, info, {1}));
  EXPECT_TRUE(mad::decode<PortInfo>(answer->data).client_reregister);
  EXPECT_FALSE(port_at_s0(0).client_reregister);
}

TEST_F(Agents, LeaveWhatIsNotForTheKindOfPort) {
  PortInfo info = unchanged(2);
  info.lid = Lid{99};
  info.m_key = 7;
  EXPECT_EQ(set_port_at_s0(2, info), Status::ok);
  EXPECT_EQ(lab.info("s0", 2).lid, kLidNone);
  EXPECT_EQ(lab.info("s0", 2).m_key, 0u);
}

TEST_F(Agents, HideExtendedSpeedsFromThoseWhoDoNotAsk) {
  EXPECT_EQ(mad::active_speed(port_at_s0(2, 0)), LinkSpeed::qdr);
  EXPECT_EQ(mad::active_speed(port_at_s0(2)), LinkSpeed::hdr);
  EXPECT_TRUE(mad::has(port_at_s0(0, 0), mad::PortCap::extended_speeds));
  EXPECT_TRUE(mad::has(port_at_s0(0, 0), mad::PortCap2::hdr));
}

TEST_F(Agents, TakeAnEnabledSpeedWhenTheLinkTrainsAgain) {
  PortInfo info = unchanged(2);
  info.speed_ext_enabled = 30;  // off
  EXPECT_EQ(set_port_at_s0(2, info), Status::ok);
  EXPECT_EQ(mad::active_speed(port_at_s0(2)), LinkSpeed::hdr);
  EXPECT_EQ(set_state(2, PortState::down), Status::ok);
  EXPECT_EQ(mad::active_speed(port_at_s0(2)), LinkSpeed::qdr);
  EXPECT_EQ(mad::active_speed(lab.info("s1", 1)), LinkSpeed::qdr);
  info = unchanged(2);
  info.speed_ext_enabled = 31;  // all that are supported
  info.state = PortState::down;
  EXPECT_EQ(set_port_at_s0(2, info), Status::ok);
  EXPECT_EQ(mad::active_speed(lab.info("s1", 1)), LinkSpeed::hdr);
}

TEST_F(Agents, KeepSwitchInfoAndClearTheChangeBitByOne) {
  lab.world.switch_of(lab.node("s0")).info.state_changed = true;
  SwitchInfo info = lab.world.switch_of(lab.node("s0")).info;
  info.lft_top = Lid{100};
  info.lifetime = 18;
  info.state_changed = false;
  EXPECT_EQ(status_of(set(AttrId::switch_info, 0, info, {1})), Status::ok);
  EXPECT_TRUE(changed("s0")) << "a zero leaves it";
  info.state_changed = true;
  const auto answer = sm.ask(set(AttrId::switch_info, 0, info, {1}));
  EXPECT_FALSE(mad::decode<SwitchInfo>(answer->data).state_changed);
  EXPECT_EQ(mad::decode<SwitchInfo>(answer->data).lft_top, Lid{100});
  EXPECT_EQ(mad::decode<SwitchInfo>(answer->data).lifetime, 18);
  info.lft_top = Lid{0xc000};
  EXPECT_EQ(status_of(set(AttrId::switch_info, 0, info, {1})), Status::bad_value);
}

TEST_F(Agents, KeepForwardingBlocks) {
  mad::LinearForwardingTable block;
  block.ports.fill(PortNum{3});
  EXPECT_EQ(status_of(set(AttrId::linear_forwarding, 2, block, {1})), Status::ok);
  const auto held = [&](std::uint32_t number) {
    return mad::decode<mad::LinearForwardingTable>(sm.ask(get(AttrId::linear_forwarding, number, {1}))->data);
  };
  EXPECT_EQ(held(2), block);
  EXPECT_EQ(held(1).ports[0], kPortDrop);
  EXPECT_EQ(held(767).ports[63], kPortDrop);
  EXPECT_EQ(status_of(get(AttrId::linear_forwarding, 768, {1})), Status::bad_value);
  EXPECT_EQ(status_of(get(AttrId::linear_forwarding, 0)), Status::bad_method_attribute) << "an HCA has none";
  EXPECT_LE(lab.world.switch_of(lab.node("s0")).lft.capacity(), 1024u);
}

TEST_F(Agents, KeepMulticastBlocks) {
  mad::MulticastForwardingTable block;
  block.masks[5] = 0x16;
  EXPECT_EQ(status_of(set(AttrId::multicast_forwarding, 3, block, {1})), Status::ok);
  EXPECT_EQ(
      mad::decode<mad::MulticastForwardingTable>(sm.ask(get(AttrId::multicast_forwarding, 3, {1}))->data),
      block);
  EXPECT_EQ(status_of(get(AttrId::multicast_forwarding, 32, {1})), Status::bad_value) << "1024 groups";
  EXPECT_EQ(status_of(get(AttrId::multicast_forwarding, 1u << 28, {1})), Status::bad_value) << "4 ports";
}

TEST_F(Agents, KeepPkeysByPort) {
  mad::PkeyTable keys;
  keys.keys[0] = Pkey{0xffff};
  keys.keys[1] = Pkey{0x8001};
  const auto held = [&](const mad::Smp& smp) { return mad::decode<mad::PkeyTable>(sm.ask(smp)->data); };
  EXPECT_EQ(held(get(AttrId::pkey_table, 2u << 16, {1})).keys[0], Pkey{0xffff});
  EXPECT_EQ(status_of(set(AttrId::pkey_table, 2u << 16, keys, {1})), Status::ok);
  EXPECT_EQ(held(get(AttrId::pkey_table, 2u << 16, {1})), keys);
  EXPECT_EQ(held(get(AttrId::pkey_table, 3u << 16, {1})).keys[1], Pkey{0});
  EXPECT_EQ(status_of(get(AttrId::pkey_table, 2u << 16 | 2, {1})), Status::bad_value) << "64 keys";
  EXPECT_EQ(status_of(get(AttrId::pkey_table, 1, {1})), Status::bad_value) << "port 0 has 8";
  EXPECT_EQ(status_of(set(AttrId::pkey_table, 1, keys)), Status::ok) << "an HCA has 64";
}

TEST_F(Agents, KeepLanesByInAndOutPort) {
  mad::SlToVlTable lanes;
  lanes.vl.fill(Vl{1});
  EXPECT_EQ(status_of(set(AttrId::sl_to_vl, 1u << 8 | 2, lanes, {1})), Status::ok);
  const auto held = [&](std::uint32_t modifier) {
    return mad::decode<mad::SlToVlTable>(sm.ask(get(AttrId::sl_to_vl, modifier, {1}))->data);
  };
  EXPECT_EQ(held(1u << 8 | 2), lanes);
  EXPECT_EQ(held(2u << 8 | 1).vl[9], Vl{1}) << "eight lanes at reset";
  EXPECT_EQ(held(2u << 8 | 1).vl[2], Vl{2});
  EXPECT_EQ(status_of(get(AttrId::sl_to_vl, 9u << 8, {1})), Status::bad_value);
  EXPECT_EQ(status_of(set(AttrId::sl_to_vl, 3u << 16, lanes, {1})), Status::bad_value) << "not offered";
}

TEST_F(Agents, KeepArbitrationWithinItsCapacity) {
  mad::VlArbitrationTable table;
  table.entries.fill(0x0104);
  EXPECT_EQ(status_of(set(AttrId::vl_arbitration, 1u << 16 | 2, table, {1})), Status::ok);
  const auto held =
      mad::decode<mad::VlArbitrationTable>(sm.ask(get(AttrId::vl_arbitration, 1u << 16 | 2, {1}))->data);
  EXPECT_EQ(held.entries[7], 0x0104);
  EXPECT_EQ(held.entries[8], 0);
  EXPECT_EQ(status_of(get(AttrId::vl_arbitration, 2u << 16 | 2, {1})), Status::bad_value);
}

class RichAgents : public Agents {
 protected:
  RichAgents() : Agents({.switch_port_state = true, .multicast_fdb_top = true, .optimized_sl_to_vl = true}) {}
};

TEST_F(RichAgents, TellAllPortStatesAtOnce) {
  EXPECT_TRUE(mad::has(port_at_s0(0), mad::PortCap2::switch_port_state));
  const auto table =
      mad::decode<mad::SwitchPortStateTable>(sm.ask(get(AttrId::switch_port_state, 0, {1}))->data);
  EXPECT_EQ(table.states[2], PortState::init);
  EXPECT_EQ(table.states[4], PortState::down);
}

TEST_F(RichAgents, TakeLanesForAllPortsInOnePacket) {
  mad::SlToVlTable lanes;
  lanes.vl.fill(Vl{5});
  EXPECT_EQ(status_of(set(AttrId::sl_to_vl, 3u << 16, lanes, {1})), Status::ok);
  EXPECT_EQ(mad::decode<mad::SlToVlTable>(sm.ask(get(AttrId::sl_to_vl, 4u << 8 | 3, {1}))->data), lanes);
}

TEST_F(RichAgents, KeepTheMulticastTop) {
  SwitchInfo info = lab.world.switch_of(lab.node("s0")).info;
  info.mft_top = Lid{0xc010};
  EXPECT_EQ(status_of(set(AttrId::switch_info, 0, info, {1})), Status::ok);
  EXPECT_EQ(lab.world.switch_of(lab.node("s0")).info.mft_top, Lid{0xc010});
  info.mft_top = Lid{0xd000};
  EXPECT_EQ(status_of(set(AttrId::switch_info, 0, info, {1})), Status::bad_value);
}

TEST(LinkTraining, TellsEverySpeedAndWidth) {
  for (int s = raw(LinkSpeed::sdr); s <= raw(LinkSpeed::xdr); ++s) {
    const auto speed = static_cast<LinkSpeed>(s);
    for (const LinkWidth width :
         {LinkWidth::x1, LinkWidth::x2, LinkWidth::x4, LinkWidth::x8, LinkWidth::x12}) {
      PortInfo a;
      PortInfo b;
      support(a, width, speed);
      support(b, width, speed);
      ASSERT_TRUE(agree(a, b));
      EXPECT_EQ(mad::active_speed(a), speed == LinkSpeed::fdr10 ? LinkSpeed::qdr : speed) << name(speed);
      EXPECT_EQ(a.width_active, width);
      EXPECT_EQ(b.width_active, width);
    }
  }
}

TEST(LinkTraining, TakesTheBestThatBothHave) {
  PortInfo fast;
  PortInfo slow;
  support(fast, LinkWidth::x12, LinkSpeed::ndr);
  support(slow, LinkWidth::x4, LinkSpeed::edr);
  ASSERT_TRUE(agree(fast, slow));
  EXPECT_EQ(mad::active_speed(fast), LinkSpeed::edr);
  EXPECT_EQ(fast.width_active, LinkWidth::x4);
  slow.width_enabled = 4;
  EXPECT_FALSE(agree(fast, slow));
}

}  // namespace
}  // namespace weft::sim
