#include "mad/port_info.h"

#include <gtest/gtest.h>

#include "mad/mlnx_ext_port_info.h"
#include "mad/notice.h"
#include "mad/sm_info.h"

namespace weft::mad {
namespace {

TEST(ActiveSpeed, IsTheNewestFieldThatIsNotZero) {
  PortInfo port;
  EXPECT_EQ(active_speed(port), LinkSpeed::none);
  port.speed_active = 1;
  EXPECT_EQ(active_speed(port), LinkSpeed::sdr);
  port.speed_active = 2;
  EXPECT_EQ(active_speed(port), LinkSpeed::ddr);
  port.speed_active = 4;
  EXPECT_EQ(active_speed(port), LinkSpeed::qdr);
  port.speed_ext_active = 1;
  EXPECT_EQ(active_speed(port), LinkSpeed::fdr);
  port.speed_ext_active = 2;
  EXPECT_EQ(active_speed(port), LinkSpeed::edr);
  port.speed_ext_active = 4;
  EXPECT_EQ(active_speed(port), LinkSpeed::hdr);
  port.speed_ext_active = 8;
  EXPECT_EQ(active_speed(port), LinkSpeed::ndr);
  port.speed_ext2_active = 1;
  EXPECT_EQ(active_speed(port), LinkSpeed::xdr);
}

TEST(ActiveSpeed, OfFdr10IsToldByTheMakersAttribute) {
  PortInfo port;
  port.speed_active = 4;
  MlnxExtPortInfo ext;
  EXPECT_EQ(active_speed(port, ext), LinkSpeed::qdr);
  ext.speed_active = 1;
  EXPECT_EQ(active_speed(port, ext), LinkSpeed::fdr10);
  port.speed_ext_active = 2;
  EXPECT_EQ(active_speed(port, ext), LinkSpeed::edr);
}

TEST(FastestSupported, IsTheHighestBitOfTheNewestMask) {
  PortInfo port;
  EXPECT_EQ(fastest_supported(port), LinkSpeed::none);
  port.speed_supported = 7;
  EXPECT_EQ(fastest_supported(port), LinkSpeed::qdr);
  port.speed_ext_supported = 7;
  EXPECT_EQ(fastest_supported(port), LinkSpeed::hdr);
  port.speed_ext_supported = 15;
  EXPECT_EQ(fastest_supported(port), LinkSpeed::ndr);
  port.speed_ext2_supported = 1;
  EXPECT_EQ(fastest_supported(port), LinkSpeed::xdr);
}

TEST(WidestSupported, OrdersByLanesNotByBits) {
  PortInfo port;
  EXPECT_EQ(widest_supported(port), LinkWidth::none);
  port.width_supported = 16 | 1;
  EXPECT_EQ(widest_supported(port), LinkWidth::x2);
  port.width_supported = 16 | 2 | 1;
  EXPECT_EQ(widest_supported(port), LinkWidth::x4);
  port.width_supported = 15;
  EXPECT_EQ(widest_supported(port), LinkWidth::x12);
}

TEST(PortInfoModifier, AsksForExtendedSpeeds) { EXPECT_EQ(port_info_modifier(PortNum{3}), 0x80000003u); }

TEST(Has, BelievesMask2OnlyWhereMask1SaysItIsThere) {
  PortInfo port;
  port.capabilities2 = raw(PortCap2::hdr);
  EXPECT_FALSE(has(port, PortCap2::hdr));
  port.capabilities = raw(PortCap::mask2);
  EXPECT_TRUE(has(port, PortCap2::hdr));
  EXPECT_FALSE(has(port, PortCap2::ndr));
  EXPECT_FALSE(has(port, PortCap::is_sm));
}

PortInfo sane() {
  PortInfo port;
  port.state = PortState::init;
  port.phys = PhysState::link_up;
  port.lid = Lid{8};
  port.lmc = 3;
  port.mtu_cap = Mtu::mtu4096;
  port.vl_cap = VlCount::vl8;
  return port;
}

TEST(NonsenseIn, FindsNothingInWhatDevicesTell) {
  EXPECT_EQ(nonsense_in(sane()), std::nullopt);
  PortInfo blank = sane();
  blank.lid = kLidNone;
  EXPECT_EQ(nonsense_in(blank), std::nullopt);
  PortInfo last = sane();
  last.lid = kLidLastUnicast;
  last.lmc = 0;
  EXPECT_EQ(nonsense_in(last), std::nullopt);
}

TEST(NonsenseIn, NamesTheFieldThatCannotBe) {
  const auto reason = [](auto change) {
    PortInfo port = sane();
    change(port);
    return nonsense_in(port).value_or("nothing");
  };
  EXPECT_EQ(reason([](PortInfo& p) { p.state = PortState::no_change; }), "PortState 0");
  EXPECT_EQ(reason([](PortInfo& p) { p.state = static_cast<PortState>(5); }), "PortState 5");
  EXPECT_EQ(reason([](PortInfo& p) { p.phys = static_cast<PhysState>(8); }), "PortPhysicalState 8");
  EXPECT_EQ(reason([](PortInfo& p) { p.mtu_cap = Mtu::none; }), "MTUCap 0");
  EXPECT_EQ(reason([](PortInfo& p) { p.mtu_cap = static_cast<Mtu>(6); }), "MTUCap 6");
  EXPECT_EQ(reason([](PortInfo& p) { p.vl_cap = static_cast<VlCount>(6); }), "VLCap 6");
}

TEST(SubjectOf, IsNoneForTrapsThatTellNoLid) {
  Notice notice;
  notice.details.fill(0x11);
  for (const TrapNumber trap : {TrapNumber::gid_in_service, TrapNumber::multicast_group_deleted,
                                TrapNumber::bad_pkey_at_switch, static_cast<TrapNumber>(999)}) {
    notice.trap = trap;
    EXPECT_EQ(subject_of(notice), kLidNone);
  }
}

TEST(SmStateNames, AnswerAnyCode) {
  EXPECT_EQ(name(SmState::master), "master");
  for (int code = 0; code < 16; ++code) EXPECT_FALSE(name(static_cast<SmState>(code)).empty());
}

}  // namespace
}  // namespace weft::mad
