#include "program/render.h"

#include <array>

#include <gtest/gtest.h>

#include "program/port_fields.h"

namespace weft::program {
namespace {

constexpr fabric::PortRef kPort{NodeId{0}, PortNum{1}};

plan::PortSettings linked_settings() {
  plan::PortSettings settings;
  settings.bring_up = true;
  settings.link.mtu = Mtu::mtu4096;
  settings.link.vls = VlCount::vl8;
  return settings;
}

mad::PortInfo settled_port() {
  mad::PortInfo info;
  info.state = PortState::active;
  info.phys = PhysState::link_up;
  info.neighbor_mtu = Mtu::mtu4096;
  info.operational_vls = VlCount::vl8;
  return info;
}

TEST(PortWork, IsNothingForAPortThatIsAsPlanned) {
  const mad::AttrData held = mad::encode(settled_port());
  EXPECT_FALSE(port_work(linked_settings(), kPort, &held, true, 0));
}

TEST(PortWork, ArmsAPortInInit) {
  mad::PortInfo info = settled_port();
  info.state = PortState::init;
  const mad::AttrData held = mad::encode(info);
  const auto work = port_work(linked_settings(), kPort, &held, true, 0);
  ASSERT_TRUE(work);
  EXPECT_EQ(work->reach, PortState::armed);
}

TEST(PortWork, ExcusesSoftFieldsThatADeviceDoesNotKeepButNoHardOnes) {
  plan::PortSettings settings = linked_settings();
  settings.end_port = true;
  settings.subnet_timeout = 18;
  const mad::AttrData held = mad::encode(settled_port());
  EXPECT_TRUE(port_work(settings, kPort, &held, false, 0));
  EXPECT_FALSE(port_work(settings, kPort, &held, false, ~0u));
  settings.lid.base = Lid{5};
  EXPECT_TRUE(port_work(settings, kPort, &held, false, ~0u));
}

TEST(PortWork, IsNothingWhereThePortIsUnknown) {
  EXPECT_FALSE(port_work(linked_settings(), kPort, nullptr, true, 0));
}

TEST(SwitchInfoWork, IsNothingWhenTopAndLifetimeStand) {
  mad::SwitchInfo info;
  info.lft_top = Lid{9};
  info.lifetime = 18;
  const mad::AttrData held = mad::encode(info);
  EXPECT_FALSE(switch_info_work(&held, Lid{9}, 18, 0));
  EXPECT_TRUE(switch_info_work(&held, Lid{10}, 18, 0));
  EXPECT_TRUE(switch_info_work(&held, Lid{9}, 17, 0));
  EXPECT_FALSE(switch_info_work(&held, Lid{9}, 17, kUnkeptLifetime));
}

TEST(SwitchInfoWork, ClearsPortStateChange) {
  mad::SwitchInfo info;
  info.lft_top = Lid{9};
  info.state_changed = true;
  const mad::AttrData held = mad::encode(info);
  const auto work = switch_info_work(&held, Lid{9}, 0, 0);
  ASSERT_TRUE(work);
  EXPECT_TRUE(work->state_changed);  // writing 1 clears it
}

TEST(LftWork, NamesTheBlocksThatAreUnknownOrDiffer) {
  routing::Lft lft(192, 255);
  mad::DeviceBlocks device;
  EXPECT_EQ(lft_work(lft, Lid{130}, nullptr), (std::vector<std::uint32_t>{0, 1, 2}));
  device.set(mad::AttrId::linear_forwarding, 0, lft_block(lft, 0));
  device.set(mad::AttrId::linear_forwarding, 1, lft_block(lft, 1));
  lft = lft.with(std::array{routing::Lft::Entry{70, 3}});
  EXPECT_EQ(lft_work(lft, Lid{130}, &device), (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(lft_work(lft, Lid{63}, &device), std::vector<std::uint32_t>{});
}

}  // namespace
}  // namespace weft::program
