#include "qos/link_settings.h"

#include <gtest/gtest.h>

#include "fabric/builder.h"

namespace weft::qos {
namespace {

constexpr Guid kHost{1};
constexpr Guid kLeaf{2};
constexpr Guid kSpine{3};

fabric::Port capable_of(Mtu mtu, VlCount vls) {
  fabric::Port port;
  port.mtu_cap = mtu;
  port.vl_cap = vls;
  return port;
}

/// host port 1 - leaf port 1, leaf port 2 - spine port 1; leaf port 3 and spine port 2 are free.
fabric::Fabric line(const fabric::Port& host, const fabric::Port& leaf) {
  fabric::Builder builder;
  const auto add = [&builder](Guid guid, NodeType type, std::uint8_t ports) {
    fabric::Node node;
    node.guid = guid;
    node.type = type;
    node.port_count = ports;
    EXPECT_TRUE(builder.add_node(node));
  };
  add(kHost, NodeType::hca, 1);
  add(kLeaf, NodeType::switch_, 3);
  add(kSpine, NodeType::switch_, 2);
  EXPECT_TRUE(builder.set_port(kHost, PortNum{1}, host));
  for (const PortNum port : {PortNum{1}, PortNum{2}}) EXPECT_TRUE(builder.set_port(kLeaf, port, leaf));
  EXPECT_TRUE(builder.set_port(kSpine, PortNum{1}, capable_of(Mtu::mtu2048, VlCount::vl15)));
  EXPECT_TRUE(builder.connect({kHost, PortNum{1}}, {kLeaf, PortNum{1}}));
  EXPECT_TRUE(builder.connect({kLeaf, PortNum{2}}, {kSpine, PortNum{1}}));
  return builder.build();
}

constexpr fabric::PortRef kHostPort{NodeId{0}, PortNum{1}};
constexpr fabric::PortRef kLeafDown{NodeId{1}, PortNum{1}};
constexpr fabric::PortRef kLeafUp{NodeId{1}, PortNum{2}};
constexpr fabric::PortRef kLeafFree{NodeId{1}, PortNum{3}};
constexpr fabric::PortRef kSpinePort{NodeId{2}, PortNum{1}};

TEST(Settle, TakesWhatBothEndsCanDo) {
  const fabric::Fabric fabric =
      line(capable_of(Mtu::mtu4096, VlCount::vl2), capable_of(Mtu::mtu1024, VlCount::vl8));
  const LinkSettings host = settle(fabric, kHostPort, {});
  EXPECT_EQ(host.mtu, Mtu::mtu1024);
  EXPECT_EQ(host.vls, VlCount::vl2);
}

TEST(Settle, TellsBothEndsOfALinkTheSame) {
  const fabric::Fabric fabric =
      line(capable_of(Mtu::mtu2048, VlCount::vl4), capable_of(Mtu::mtu4096, VlCount::vl8));
  for (const auto& [a, b] : {std::pair{kHostPort, kLeafDown}, std::pair{kLeafUp, kSpinePort}}) {
    EXPECT_EQ(settle(fabric, a, {}).mtu, settle(fabric, b, {}).mtu);
    EXPECT_EQ(settle(fabric, a, {}).vls, settle(fabric, b, {}).vls);
  }
}

TEST(Settle, SettlesEachLinkByItself) {
  const fabric::Fabric fabric =
      line(capable_of(Mtu::mtu1024, VlCount::vl1), capable_of(Mtu::mtu4096, VlCount::vl8));
  EXPECT_EQ(settle(fabric, kLeafDown, {}).mtu, Mtu::mtu1024);
  EXPECT_EQ(settle(fabric, kLeafDown, {}).vls, VlCount::vl1);
  EXPECT_EQ(settle(fabric, kLeafUp, {}).mtu, Mtu::mtu2048);
  EXPECT_EQ(settle(fabric, kLeafUp, {}).vls, VlCount::vl8);
}

TEST(Settle, KeepsBelowTheConfiguredLimits) {
  const fabric::Fabric fabric =
      line(capable_of(Mtu::mtu4096, VlCount::vl15), capable_of(Mtu::mtu4096, VlCount::vl15));
  const LinkSettings settings = settle(fabric, kHostPort, {.max_mtu = Mtu::mtu2048, .max_vls = VlCount::vl4});
  EXPECT_EQ(settings.mtu, Mtu::mtu2048);
  EXPECT_EQ(settings.vls, VlCount::vl4);
}

TEST(Settle, TimesPortsByWhatTheyFace) {
  const fabric::Port any = capable_of(Mtu::mtu4096, VlCount::vl8);
  const fabric::Fabric fabric = line(any, any);
  const LinkOptions options{
      .hoq_life = 18, .host_hoq_life = 16, .vl_stall_count = 7, .host_vl_stall_count = 3};
  EXPECT_EQ(settle(fabric, kLeafUp, options).hoq_life, 18);
  EXPECT_EQ(settle(fabric, kLeafUp, options).vl_stall_count, 7);
  EXPECT_EQ(settle(fabric, kLeafDown, options).hoq_life, 16);
  EXPECT_EQ(settle(fabric, kLeafDown, options).vl_stall_count, 3);
}

TEST(Settle, SaysNothingOfAPortWithoutALink) {
  const fabric::Port any = capable_of(Mtu::mtu4096, VlCount::vl8);
  EXPECT_EQ(settle(line(any, any), kLeafFree, {}), LinkSettings{});
}

}  // namespace
}  // namespace weft::qos
