// M_Key, notices and traps of agents.
#include <gtest/gtest.h>

#include "sim/notices.h"
#include "tests/sim/agents_lab.h"

namespace weft::sim {
namespace {

using mad::AttrId;
using mad::PortInfo;
using mad::TrapNumber;
using std::chrono::milliseconds;
using std::chrono::seconds;

class MKey : public AgentsLab {
 protected:
  static constexpr std::uint64_t kKey = 0x1234;
  PortInfo& guard(std::uint8_t protect, std::uint16_t lease = 0) {
    PortInfo& info = lab.info("s0", 0);
    info.m_key = kKey;
    info.m_key_protect = protect;
    info.m_key_lease = lease;
    return info;
  }
  static mad::Smp keyed(mad::Smp smp, std::uint64_t key) {
    smp.m_key = key;
    return smp;
  }
  mad::Smp get_port0() { return get(AttrId::port_info, 0, {1}); }
  mad::Smp set_switch() { return set(AttrId::switch_info, 0, lab.world.switch_of(lab.node("s0")).info, {1}); }
};

TEST_F(MKey, OfZeroGuardsNothing) {
  lab.info("s0", 0).m_key_protect = 3;
  EXPECT_TRUE(sm.ask(keyed(set_switch(), 99)));
  EXPECT_TRUE(sm.ask(get_port0()));
}

TEST_F(MKey, IsShownToAllAtLevelZero) {
  guard(0);
  EXPECT_EQ(told<PortInfo>(get_port0()).m_key, kKey);
  EXPECT_FALSE(sm.ask(set_switch())) << "a Set needs it";
  EXPECT_TRUE(sm.ask(keyed(set_switch(), kKey)));
}

TEST_F(MKey, ReadsAsZeroAtLevelOneToThoseWhoLackIt) {
  guard(1);
  EXPECT_EQ(told<PortInfo>(get_port0()).m_key, 0u);
  EXPECT_EQ(told<PortInfo>(keyed(get_port0(), kKey)).m_key, kKey);
  EXPECT_FALSE(sm.ask(set_switch()));
}

TEST_F(MKey, KeepsReadersOutAtLevelsTwoAndThree) {
  for (const std::uint8_t level : {2, 3}) {
    guard(level);
    EXPECT_FALSE(sm.ask(get_port0()));
    EXPECT_FALSE(sm.ask(get(AttrId::node_info, 0, {1})));
    EXPECT_EQ(told<PortInfo>(keyed(get_port0(), kKey)).m_key, kKey);
  }
  EXPECT_EQ(lab.network.drops(Drop::bad_m_key), 4u);
}

TEST_F(MKey, CountsViolationsUpToTheLargestValue) {
  PortInfo& info = guard(2);
  static_cast<void>(sm.ask(get_port0()));
  EXPECT_EQ(info.m_key_violations, 1);
  info.m_key_violations = 0xffff;
  static_cast<void>(sm.ask(get_port0()));
  EXPECT_EQ(info.m_key_violations, 0xffff);
  PortInfo clear = info;
  clear.state = PortState::no_change;
  clear.phys = PhysState::no_change;
  clear.m_key_violations = 0;
  EXPECT_TRUE(sm.ask(keyed(set(AttrId::port_info, 0, clear, {1}), kKey)));
  EXPECT_EQ(info.m_key_violations, 0);
}

TEST_F(MKey, IsThatOfPort0ForAllOfASwitch) {
  guard(2);
  EXPECT_FALSE(sm.ask(get(AttrId::port_info, 3, {1})));
  EXPECT_TRUE(sm.ask(get(AttrId::node_info, 0, {1, 2}))) << "a guarded switch still passes packets on";
}

TEST_F(MKey, LosesItsProtectionWhenTheLeaseEnds) {
  const PortInfo& info = guard(2, 15);
  static_cast<void>(sm.ask(get_port0()));
  pass(seconds(14));
  EXPECT_EQ(info.m_key_protect, 2);
  pass(seconds(2));
  EXPECT_EQ(info.m_key_protect, 0);
  EXPECT_EQ(told<PortInfo>(get_port0()).m_key, kKey) << "a new manager can read it";
}

TEST_F(MKey, KeepsItsProtectionWhileTheManagerLives) {
  const PortInfo& info = guard(2, 15);
  static_cast<void>(sm.ask(get_port0()));
  pass(seconds(10));
  EXPECT_TRUE(sm.ask(keyed(get_port0(), kKey)));
  pass(seconds(30));
  EXPECT_EQ(info.m_key_protect, 2);
}

TEST_F(MKey, NeverExpiresWithALeaseOfZero) {
  const PortInfo& info = guard(3, 0);
  static_cast<void>(sm.ask(get_port0()));
  pass(std::chrono::hours(24));
  EXPECT_EQ(info.m_key_protect, 3);
}

TEST_F(MKey, RaisesTrap256WithWhoAskedWhat) {
  manage();
  guard(2);
  sm.send(keyed(get(AttrId::port_info, 7, {1}), 0xbad));
  pass(milliseconds(1));
  const auto seen = traps(TrapNumber::bad_m_key);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].type, 2);
  EXPECT_EQ(seen[0].producer, 2u);
  EXPECT_EQ(detail(seen[0], 16, 8), raw(mad::Method::get));
  EXPECT_EQ(detail(seen[0], 18, 16), raw(AttrId::port_info));
  EXPECT_EQ(detail(seen[0], 20, 32), 7u);
  EXPECT_EQ(detail(seen[0], 24, 64), 0xbadu);
  EXPECT_EQ(detail(seen[0], 33, 1), 1u) << "a directed route";
  EXPECT_EQ(detail(seen[0], 33, 6, 2), 1u) << "of one hop";
  EXPECT_EQ(detail(seen[0], 34, 8), 3u) << "that came in by port 3";
}

TEST_F(MKey, IsNeededToRepressATrap) {
  manage();
  guard(1);
  lab.network.traps().raise(lab.port("s0", 0),
                            port_error_notice(lab.world, lab.port("s0", 2), TrapNumber::link_integrity));
  pass(milliseconds(1));
  ASSERT_EQ(lab.network.traps().pending(), 1u);
  mad::Smp repress = *mad::to_smp(sm.got.back());
  repress.method = mad::Method::trap_repress;
  repress = to_lid(repress, lab.lid_of("s0"));
  sm.send(repress);
  pass(milliseconds(1));
  EXPECT_EQ(lab.network.traps().pending(), 2u) << "and trap 256 beside it";
  sm.send(keyed(repress, kKey));
  pass(milliseconds(1));
  EXPECT_EQ(lab.network.traps().pending(), 1u);
}

class Told : public AgentsLab {};

TEST_F(Told, LinkErrorsNameThePort) {
  manage();
  for (const TrapNumber trap :
       {TrapNumber::link_integrity, TrapNumber::buffer_overrun, TrapNumber::flow_control_watchdog}) {
    lab.network.traps().raise(lab.port("s1", 0), port_error_notice(lab.world, lab.port("s1", 3), trap));
    pass(milliseconds(1));
    ASSERT_EQ(traps(trap).size(), 1u);
    EXPECT_EQ(detail(traps(trap)[0], 12, 16), raw(lab.lid_of("s1")));
    EXPECT_EQ(detail(traps(trap)[0], 14, 8), 3u);
    EXPECT_EQ(traps(trap)[0].issuer, lab.lid_of("s1"));
  }
}

TEST_F(Told, LinkErrorsOfTwoPortsAreTwoTraps) {
  manage();
  for (const int port : {2, 3, 3})
    lab.network.traps().raise(lab.port("s1", 0),
                              port_error_notice(lab.world, lab.port("s1", port), TrapNumber::buffer_overrun));
  EXPECT_EQ(lab.network.traps().pending(), 2u);
}

TEST_F(Told, ANewDescriptionIsALocalChange) {
  manage();
  lab.world.rename(lab.node("h1"), "another name");
  pass(milliseconds(1));
  const auto seen = traps(TrapNumber::capability_changed);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(detail(seen[0], 15, 1, 7), 1u);
  EXPECT_EQ(detail(seen[0], 20, 16), 0x01u);
  EXPECT_EQ(detail(seen[0], 16, 32), lab.info("h1", 1).capabilities);
}

TEST_F(Told, LinkSpeedChangesCarryTheirFlag) {
  manage();
  lab.network.traps().raise(lab.port("h1", 1),
                            change_notice(lab.world, lab.port("h1", 1), LocalChange::link_speed));
  pass(milliseconds(1));
  EXPECT_EQ(detail(traps(TrapNumber::capability_changed).at(0), 20, 16), 0x04u);
}

TEST_F(Told, ANewSystemGuid) {
  manage();
  lab.world.set_system_guid(lab.node("s1"), Guid{0xabc});
  pass(milliseconds(1));
  EXPECT_EQ(detail(traps(TrapNumber::system_guid_changed).at(0), 16, 64), 0xabcu);
  EXPECT_EQ(told<mad::NodeInfo>(get(AttrId::node_info, 0, {1, 2})).system_guid, Guid{0xabc});
}

TEST_F(Told, AStormComesAtItsRateWhateverIsRepressed) {
  manage();
  lab.network.traps().storm(lab.port("h1", 1), change_notice(lab.world, lab.port("h1", 1)), 50,
                            milliseconds(2));
  pass(milliseconds(51));
  EXPECT_EQ(traps(TrapNumber::capability_changed).size(), 26u);
  pass(seconds(1));
  EXPECT_EQ(traps(TrapNumber::capability_changed).size(), 50u);
  EXPECT_EQ(lab.network.traps().pending(), 0u);
}

TEST_F(Told, NoticesCanBeReadAndTakenAway) {
  manage();
  const auto ask = get(AttrId::notice, 0, {1});
  EXPECT_EQ(told<mad::Notice>(ask).count, 0);
  lab.network.traps().raise(lab.port("s0", 0),
                            port_error_notice(lab.world, lab.port("s0", 2), TrapNumber::link_integrity));
  lab.network.traps().raise(lab.port("s0", 0),
                            port_error_notice(lab.world, lab.port("s0", 2), TrapNumber::buffer_overrun));
  pass(milliseconds(1));
  mad::Notice first = mad::decode<mad::Notice>(sm.ask(ask)->data);
  EXPECT_EQ(first.trap, TrapNumber::link_integrity);
  EXPECT_EQ(first.count, 2);
  mad::Notice wrong = first;
  wrong.toggle = !first.toggle;
  static_cast<void>(sm.ask(set(AttrId::notice, 0, wrong, {1})));
  EXPECT_EQ(lab.world.notices(lab.port("s0", 0)).size(), 2u) << "the toggle of another notice";
  const auto next = told<mad::Notice>(set(AttrId::notice, 0, first, {1}));
  EXPECT_EQ(next.trap, TrapNumber::buffer_overrun);
  EXPECT_EQ(next.count, 1);
}

}  // namespace
}  // namespace weft::sim
