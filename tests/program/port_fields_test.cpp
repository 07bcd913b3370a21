#include "program/port_fields.h"

#include <gtest/gtest.h>

namespace weft::program {
namespace {

plan::PortSettings host_settings() {
  plan::PortSettings settings;
  settings.end_port = settings.bring_up = true;
  settings.lid = {Lid{8}, 2};
  settings.sm_lid = Lid{1};
  settings.prefix = 0xfe80000000000000;
  settings.link.mtu = Mtu::mtu2048;
  settings.link.vls = VlCount::vl4;
  settings.link.hoq_life = 16;
  return settings;
}

TEST(Desired, SetsTheLidsOfAnEndPort) {
  const mad::PortInfo want = desired({}, host_settings(), false);
  EXPECT_EQ(want.lid, Lid{8});
  EXPECT_EQ(want.lmc, 2);
  EXPECT_EQ(want.sm_lid, Lid{1});
  EXPECT_EQ(want.gid_prefix, 0xfe80000000000000u);
}

TEST(Desired, LeavesTheLidFieldsOfAnExternalSwitchPort) {
  plan::PortSettings settings = host_settings();
  settings.end_port = false;
  const mad::PortInfo want = desired({}, settings, true);
  EXPECT_EQ(want.lid, Lid{});
  EXPECT_EQ(want.hoq_life, 16);
}

TEST(Desired, KeepsMtuAndLanesOfALiveLink) {
  mad::PortInfo held;
  held.state = PortState::active;
  held.neighbor_mtu = Mtu::mtu4096;
  held.operational_vls = VlCount::vl8;
  const mad::PortInfo want = desired(held, host_settings(), false);
  EXPECT_EQ(want.neighbor_mtu, Mtu::mtu4096);
  EXPECT_EQ(want.operational_vls, VlCount::vl8);
}

TEST(Desired, MovesNoState) {
  mad::PortInfo held;
  held.state = PortState::armed;
  held.phys = PhysState::link_up;
  const mad::PortInfo want = desired(held, host_settings(), false);
  EXPECT_EQ(want.state, PortState::no_change);
  EXPECT_EQ(want.phys, PhysState::no_change);
}

TEST(Differing, NamesTheFieldsThatDiffer) {
  mad::PortInfo a;
  mad::PortInfo b;
  b.lid = Lid{3};
  b.hoq_life = 9;
  EXPECT_EQ(names_of(differing(a, b)), "LID, HOQLife");
  EXPECT_EQ(differing(a, a), 0u);
}

TEST(HardFields, AreThoseWithoutWhichAPortDoesNotWork) {
  EXPECT_EQ(names_of(hard_fields()), "LID, LMC, MasterSMLID");
}

}  // namespace
}  // namespace weft::program
