#include "plan/port_settings.h"

#include <gtest/gtest.h>

#include "tests/plan/addressed.h"
#include "tests/support/fabric_of.h"

namespace weft::plan {
namespace {

class PortSettingsOfAStar : public testing::Test {
 protected:
  const PortSettings& at(fabric::PortRef ref) {
    settings_ = port_settings(fabric_, config_, assign_lids(fabric_, config_.lids, {}), Lid{1}, {});
    return settings_.at(fabric_.node(ref.node).first_port + raw(ref.port));
  }
  fabric::PortRef host() const { return *fabric_.find_port(host_ports(fabric_)[0]); }
  fabric::PortRef hub(std::uint8_t port) const { return {fabric_.switches()[0], PortNum{port}}; }

  fabric::Fabric fabric_ = test::fabric_of("star:3,ports=8");
  Config config_;
  std::vector<PortSettings> settings_;
};

TEST_F(PortSettingsOfAStar, TellHostsAboutTheirSubnet) {
  config_.subnet = {.prefix = 0xfec0000000000001, .sm_sl = Sl{3}, .subnet_timeout = 17};
  config_.lids.lmc = 2;
  const PortSettings& settings = at(host());
  EXPECT_TRUE(settings.end_port);
  EXPECT_TRUE(settings.bring_up);
  EXPECT_EQ(settings.lid, (LidRange{Lid{4}, 2}));
  EXPECT_EQ(settings.sm_lid, Lid{1});
  EXPECT_EQ(settings.sm_sl, Sl{3});
  EXPECT_EQ(settings.prefix, 0xfec0000000000001U);
  EXPECT_EQ(settings.subnet_timeout, 17);
  EXPECT_EQ(settings.link.mtu, Mtu::mtu4096);
}

TEST_F(PortSettingsOfAStar, TellSwitchPort0ItsLidAndNoLinkSettings) {
  const PortSettings& settings = at(hub(0));
  EXPECT_TRUE(settings.end_port);
  EXPECT_FALSE(settings.bring_up);
  EXPECT_EQ(settings.lid, (LidRange{Lid{4}, 0}));
  EXPECT_EQ(settings.link, qos::LinkSettings{});
}

TEST_F(PortSettingsOfAStar, BringLinkedSwitchPortsUpWithoutALid) {
  const PortSettings& settings = at(hub(1));
  EXPECT_TRUE(settings.bring_up);
  EXPECT_FALSE(settings.end_port);
  EXPECT_EQ(settings.lid.base, kLidNone);
  EXPECT_EQ(settings.link.hoq_life, config_.links.host_hoq_life);
}

TEST_F(PortSettingsOfAStar, HaveTheHighLimitOfTheirKindOfPort) {
  fabric::Builder builder = test::builder_from(fabric_);
  fabric::Port without = fabric_.port(hub(2));
  without.arb_high_cap = 0;
  ASSERT_TRUE(builder.set_port(fabric_.node(hub(2).node).guid, PortNum{2}, without));
  fabric_ = builder.build();
  const auto limit = [this](fabric::PortRef ref, const qos::Policy& policy) {
    (void)at(ref);
    set_high_limits(fabric_, qos::plan_lanes(policy, 1, 8, {}), settings_);
    return settings_.at(fabric_.node(ref.node).first_port + raw(ref.port)).high_limit;
  };
  EXPECT_EQ(limit(host(), {}), std::nullopt);
  EXPECT_EQ(limit(host(), {.levels = {{.name = "a"}}}), 0);
  EXPECT_EQ(limit(host(), {.levels = {{.name = "a", .strict = true}}}), 255);
  qos::TypedTables tables;
  tables.hosts.arbitration.high_limit = 3;
  tables.switches.arbitration.high_limit = 4;
  EXPECT_EQ(limit(host(), {.tables = tables}), 3);
  EXPECT_EQ(limit(hub(1), {.tables = tables}), 4);
  EXPECT_EQ(limit(hub(2), {.tables = tables}), 0) << "it has no high-priority table";
}

TEST_F(PortSettingsOfAStar, LeavePortsWithoutALinkAlone) { EXPECT_EQ(at(hub(8)), PortSettings{}); }

TEST_F(PortSettingsOfAStar, WaitForBothEndsToBeKnown) {
  fabric::Builder builder = test::builder_from(fabric_);
  fabric::Port mute = fabric_.port(host());
  mute.known = false;
  ASSERT_TRUE(builder.set_port(fabric_.node(host().node).guid, host().port, mute));
  const fabric::PortRef peer = *mute.peer;
  fabric_ = builder.build();
  EXPECT_FALSE(at(host()).bring_up);
  EXPECT_FALSE(at(peer).bring_up);
}

}  // namespace
}  // namespace weft::plan
