#include "mad/smp.h"

#include <gtest/gtest.h>

#include "tests/mad/attributes.h"

namespace weft::mad {
namespace {

DirectedRoute random_route(std::mt19937_64& random, int hops) {
  DirectedRoute route;
  for (int i = 0; i < hops; ++i) route = route.then(static_cast<PortNum>(random()));
  return route;
}

Smp random_smp(std::mt19937_64& random) {
  Smp smp;
  smp.method = static_cast<Method>(random());
  smp.attribute = static_cast<AttrId>(random());
  smp.modifier = static_cast<std::uint32_t>(random());
  smp.m_key = random();
  smp.status = static_cast<std::uint16_t>(random() & 0x7fff);
  smp.tid = random();
  smp.data = random_data(random);
  if (random() % 2 == 0) {
    smp.route = random_route(random, static_cast<int>(random() % (kMaxHops + 1)));
    smp.returning = random() % 2 == 0;
  } else {
    smp.route.reset();
    smp.address.lid = static_cast<Lid>(random());
    smp.status = static_cast<std::uint16_t>(random());
  }
  return smp;
}

void expect_equal(const Smp& a, const Smp& b) {
  EXPECT_EQ(a.method, b.method);
  EXPECT_EQ(a.attribute, b.attribute);
  EXPECT_EQ(a.modifier, b.modifier);
  EXPECT_EQ(a.m_key, b.m_key);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.tid, b.tid);
  EXPECT_EQ(a.route, b.route);
  EXPECT_EQ(a.address, b.address);
  EXPECT_EQ(a.returning, b.returning);
  EXPECT_EQ(a.data, b.data);
}

TEST(Smp, ComesBackFromItsBytes) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const Smp smp = random_smp(random);
    const Result<Smp> read = to_smp(to_mad(smp));
    ASSERT_TRUE(read.has_value()) << read.error().what;
    expect_equal(*read, smp);
  }
}

TEST(Smp, TravelsByDirectedRouteWithPermissiveLids) {
  Smp smp;
  smp.method = Method::get;
  smp.attribute = AttrId::port_info;
  smp.modifier = 0x80000003;
  smp.tid = 0x1122334455667788;
  smp.m_key = 0xa1a2a3a4a5a6a7a8;
  smp.route = DirectedRoute().then(PortNum{1}).then(PortNum{19});
  smp.address.lid = Lid{5};  // means nothing on a directed route
  const Mad mad = to_mad(smp);
  EXPECT_EQ(mad.address.lid, kLidPermissive);
  EXPECT_EQ(hex(std::span(mad.bytes).first(36)),
            "01 81 01 01 00 00 00 02 11 22 33 44 55 66 77 88 00 15 00 00 80 00 00 03 "
            "a1 a2 a3 a4 a5 a6 a7 a8 ff ff ff ff");
  EXPECT_EQ(hex(std::span(mad.bytes).subspan(128, 4)), "00 01 13 00");
}

TEST(Smp, TravelsByLidWithoutARoute) {
  Smp smp;
  smp.route.reset();
  smp.address.lid = Lid{5};
  const Mad mad = to_mad(smp);
  EXPECT_EQ(mad.address.lid, Lid{5});
  EXPECT_EQ(header_of(mad).mgmt_class, MgmtClass::subn_lid_routed);
  EXPECT_EQ(get_bits(mad.bytes, 32 * 8, 32), 0u);
}

TEST(Smp, HoldsARouteOf63HopsAndRefusesALongerOne) {
  std::mt19937_64 random(1);
  Smp smp;
  smp.route = random_route(random, kMaxHops);
  EXPECT_TRUE(smp.route->full());
  Mad mad = to_mad(smp);
  const Result<Smp> longest = to_smp(mad);
  ASSERT_TRUE(longest.has_value());
  EXPECT_EQ(longest->route, smp.route);
  for (const int hops : {64, 65, 255}) {
    mad.bytes[7] = static_cast<std::uint8_t>(hops);
    const Result<Smp> read = to_smp(mad);
    ASSERT_FALSE(read.has_value()) << hops;
    EXPECT_EQ(read.error().code, Errc::malformed);
  }
}

TEST(Smp, IsOfNoOtherClass) {
  for (int number = 0; number < 256; ++number) {
    Mad mad = to_mad(Smp{});
    mad.bytes[1] = static_cast<std::uint8_t>(number);
    EXPECT_EQ(to_smp(mad).has_value(), number == 0x01 || number == 0x81) << number;
  }
}

TEST(Smp, IsDescribedByMethodAttributeAndWay) {
  Smp smp;
  smp.attribute = AttrId::port_info;
  smp.modifier = 3;
  smp.route = DirectedRoute().then(PortNum{1}).then(PortNum{19});
  EXPECT_EQ(describe(smp), "Get PortInfo modifier 0x00000003 by 0,1,19");
  smp.route.reset();
  smp.address.lid = Lid{12};
  EXPECT_EQ(describe(smp), "Get PortInfo modifier 0x00000003 to LID 12");
}

TEST(Mad, CarriesItsTransactionIdAtByteEight) {
  Mad mad;
  set_tid(mad, 0x0102030405060708);
  EXPECT_EQ(tid_of(mad), 0x0102030405060708u);
  EXPECT_EQ(header_of(mad).tid, tid_of(mad));
  EXPECT_EQ(mad.bytes[8], 1);
  EXPECT_EQ(mad.bytes[15], 8);
}

TEST(Status, IsDescribedInWords) {
  EXPECT_EQ(describe_status(0), "status 0x0000 (ok)");
  EXPECT_EQ(describe_status(0x000c), "status 0x000c (attribute not supported with this method)");
  for (int status = 0; status < 0x10000; ++status)
    EXPECT_FALSE(describe_status(static_cast<std::uint16_t>(status)).empty());
}

TEST(MethodAndAttributeNames, AnswerAnyNumber) {
  for (int number = 0; number < 256; ++number) EXPECT_FALSE(name(static_cast<Method>(number)).empty());
  for (int number = 0; number < 0x10000; ++number) EXPECT_FALSE(name(static_cast<AttrId>(number)).empty());
}

TEST(IsResponse, LooksAtTheResponseBit) {
  EXPECT_FALSE(is_response(Method::get));
  EXPECT_FALSE(is_response(Method::set));
  EXPECT_FALSE(is_response(Method::trap));
  EXPECT_TRUE(is_response(Method::get_resp));
  EXPECT_TRUE(is_response(Method::trap_repress));
}

TEST(DirectedRoute, GrowsHopByHop) {
  const DirectedRoute own;
  EXPECT_EQ(own.hops(), 0);
  EXPECT_EQ(to_string(own), "0");
  const DirectedRoute route = own.then(PortNum{1}).then(PortNum{19}).then(PortNum{3});
  EXPECT_EQ(route.hops(), 3);
  EXPECT_EQ(route.port(1), PortNum{19});
  EXPECT_EQ(to_string(route), "0,1,19,3");
  EXPECT_EQ(own.hops(), 0);
}

TEST(DirectedRoute, IsEqualByItsHopsAlone) {
  const std::array<PortNum, 2> ports{PortNum{1}, PortNum{2}};
  const DirectedRoute route{std::span<const PortNum>(ports)};
  EXPECT_EQ(route, DirectedRoute().then(PortNum{1}).then(PortNum{2}));
  EXPECT_NE(route, DirectedRoute().then(PortNum{1}));
  EXPECT_NE(route, DirectedRoute().then(PortNum{2}).then(PortNum{1}));
}

}  // namespace
}  // namespace weft::mad
