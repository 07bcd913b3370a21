// Conformance cases N, I and T: nodes, ports, switches, tables, links.

#include <gtest/gtest.h>

#include "mad/node_info.h"
#include "mad/port_info.h"
#include "mad/switch_info.h"
#include "mad/tables.h"
#include "tests/sa/desk.h"

namespace weft::sa {
namespace {

using mad::Method;
using mad::SaAttr;

struct LidPart {
  Lid lid{};
  std::uint8_t third = 0;
};

}  // namespace
}  // namespace weft::sa

namespace weft::mad {
template <>
inline constexpr auto kLayout<sa::LidPart> =
    std::tuple{Field{0, 16, &sa::LidPart::lid, "LID"}, Field{16, 8, &sa::LidPart::third, "Third"}};
}  // namespace weft::mad

namespace weft::sa {
namespace {

TEST(N1N2, AllNodesOrTooMany) {
  Desk desk;
  const Answer all = desk.table(SaAttr::node_record);
  EXPECT_EQ(count(all), 6u);
  EXPECT_EQ(all.offset, 14);
  EXPECT_TRUE(all.table);
  EXPECT_EQ(desk.get(SaAttr::node_record).status, 0x0400);
}

TEST(N3ToN5, NodesByLid) {
  Desk desk;
  const Answer one = desk.ask(Method::get, SaAttr::node_record, bit(0), LidPart{desk.lid_of("HcaB")});
  EXPECT_EQ(one.status, 0);
  EXPECT_FALSE(one.table);
  const auto info = mad::decode<mad::NodeInfo>(std::span<const std::uint8_t>(one.data).subspan(4));
  EXPECT_EQ(info.port_guid, desk.guid_of("HcaB"));
  EXPECT_EQ(info.type, NodeType::hca);
  EXPECT_EQ(mad::decode<mad::NodeDescription>(std::span<const std::uint8_t>(one.data).subspan(44)).text,
            "HcaB");
  EXPECT_EQ(desk.ask(Method::get, SaAttr::node_record, bit(0), LidPart{Lid{0xfff0}}).status, 0x0300);
  for (const unsigned lid : {0xfff0u, 0xffffu}) {
    const Answer none =
        desk.ask(Method::get_table, SaAttr::node_record, bit(0), LidPart{static_cast<Lid>(lid)});
    EXPECT_EQ(none.status, 0);
    EXPECT_EQ(none.offset, 0);
    EXPECT_TRUE(none.table);
    EXPECT_TRUE(none.data.empty());
  }
}

TEST(N7N9, SwitchesByTypeAndNoSet) {
  Desk desk;
  desk.data[6] = raw(NodeType::switch_);
  EXPECT_EQ(count(desk.ask(desk.request(Method::get_table, SaAttr::node_record, bit(4)))), 2u);
  EXPECT_EQ(desk.ask(desk.request(Method::set, SaAttr::node_record, 0)).status, 0x000c);
  EXPECT_EQ(desk.ask(desk.request(Method::delete_, SaAttr::node_record, 0)).status, 0x000c);
}

TEST(N10, AnyLidOfAPortFindsIt) {
  plan::Config config;
  config.lids.lmc = 2;
  Desk desk(two_switches(), config);
  const Lid lid = static_cast<Lid>(raw(desk.lid_of("HcaB")) + 3);
  EXPECT_EQ(desk.ask(Method::get, SaAttr::node_record, bit(0), LidPart{lid}).status, 0);
}

TEST(I1ToI5, PortsByLidAndNumber) {
  Desk desk;
  const Lid host = desk.lid_of("HcaB");
  EXPECT_EQ(count(desk.ask(Method::get_table, SaAttr::port_info_record, bit(0), LidPart{host})), 1u);
  const Answer one = desk.ask(Method::get, SaAttr::port_info_record, bits({0, 1}), LidPart{host, 1});
  ASSERT_EQ(one.status, 0);
  const auto info = mad::decode<mad::PortInfo>(std::span<const std::uint8_t>(one.data).subspan(4));
  EXPECT_EQ(info.lid, host);
  EXPECT_EQ(info.m_key, 0u);
  EXPECT_EQ(info.state, PortState::active);
  EXPECT_EQ(info.sm_lid, desk.lid_of("HcaA"));
  EXPECT_EQ(desk.ask(Method::get, SaAttr::port_info_record, bits({0, 1}), LidPart{host, 77}).status, 0x0300);
  EXPECT_EQ(desk.ask(Method::get, SaAttr::port_info_record, bits({0, 1}), LidPart{host, 0}).status, 0x0300);
  EXPECT_EQ(count(desk.table(SaAttr::port_info_record)), 22u) << "switches with port 0";
}

TEST(I8, PortsWithACapabilityAreFoundByMask) {
  Desk desk;
  mad::PortInfo wanted;
  wanted.capabilities = 1u << 19;
  encode_into(std::span<std::uint8_t>(desk.data).subspan(4), wanted);
  Request request = desk.request(Method::get_table, SaAttr::port_info_record, bit(kCapabilityMaskBit));
  request.header.modifier = 0x80000000;
  const Answer none = desk.ask(request);
  EXPECT_EQ(none.status, 0);
  EXPECT_EQ(none.offset, 0);
  wanted.capabilities = 0;
  encode_into(std::span<std::uint8_t>(desk.data).subspan(4), wanted);
  EXPECT_EQ(count(desk.ask(request)), 22u) << "no bit asked for: all have them";
}

TEST(T5ToT7, SwitchesOnly) {
  Desk desk;
  EXPECT_EQ(count(desk.table(SaAttr::switch_info_record)), 2u);
  EXPECT_EQ(desk.ask(Method::get, SaAttr::switch_info_record, bit(0), LidPart{desk.lid_of("HcaB")}).status,
            0x0300);
  EXPECT_EQ(
      count(desk.ask(Method::get_table, SaAttr::switch_info_record, bit(0), LidPart{desk.lid_of("HcaB")})),
      0u);
}

TEST(T8ToT11, ForwardingTablesAsPlanned) {
  Desk desk;
  const Answer all = desk.table(SaAttr::lft_record);
  EXPECT_EQ(count(all), 2u);
  const routing::Routes& routes = desk.view->plan->routes();
  const SwitchId first = desk.index.find(static_cast<Lid>(get_bits(all.data, 0, 16)))->leaf;
  for (std::size_t lid = 0; lid < 64; ++lid)
    EXPECT_EQ(all.data[8 + lid], raw(routes.out(first, static_cast<Lid>(lid)))) << lid;
  desk.data.assign(200, 0);
  put_bits(std::span<std::uint8_t>(desk.data), 16, 16, 9999);
  EXPECT_EQ(count(desk.ask(desk.request(Method::get_table, SaAttr::lft_record, bit(1)))), 0u);
  EXPECT_EQ(desk.ask(Method::get, SaAttr::lft_record, bit(0), LidPart{Lid{0x7000}}).status, 0x0300);
}

TEST(T21ToT25, LinksInBothDirections) {
  Desk desk;
  EXPECT_EQ(count(desk.table(SaAttr::link_record)), 12u);
  EXPECT_EQ(desk.get(SaAttr::link_record).status, 0x0400);
  const Answer one =
      desk.ask(Method::get, SaAttr::link_record, bit(0), mad::LinkRecord{desk.lid_of("HcaB"), {}, {}, {}});
  ASSERT_EQ(one.status, 0);
  EXPECT_EQ(record<mad::LinkRecord>(one),
            (mad::LinkRecord{desk.lid_of("HcaB"), PortNum{1}, PortNum{2}, desk.lid_of("S1")}));
  const mad::LinkRecord apart{desk.lid_of("HcaB"), {}, {}, desk.lid_of("HcaC")};
  EXPECT_EQ(count(desk.ask(Method::get_table, SaAttr::link_record, bits({0, 3}), apart)), 0u);
}

TEST(T26T27, GuidsOfEveryEndPort) {
  Desk desk;
  EXPECT_EQ(count(desk.table(SaAttr::guid_info_record)), 6u);
  const Answer one =
      desk.ask(Method::get, SaAttr::guid_info_record, bits({0, 1}), LidPart{desk.lid_of("HcaB"), 0});
  ASSERT_EQ(one.status, 0);
  EXPECT_EQ(get_bits(one.data, 64, 64), raw(desk.guid_of("HcaB")));
  EXPECT_EQ(
      desk.ask(Method::get, SaAttr::guid_info_record, bits({0, 1}), LidPart{desk.lid_of("HcaB"), 200}).status,
      0x0300);
}

TEST(SmInfoRecord, TellsUsWithoutOurKey) {
  Desk desk;
  desk.self.sm_key = 77;
  desk.self.priority = 5;
  const Answer one = desk.get(SaAttr::sm_info_record);
  ASSERT_EQ(one.status, 0);
  const auto info = mad::decode<mad::SmInfo>(std::span<const std::uint8_t>(one.data).subspan(4));
  EXPECT_EQ(info.guid, desk.guid_of("HcaA"));
  EXPECT_EQ(info.priority, 5);
  EXPECT_EQ(info.sm_key, 0u);
  EXPECT_EQ(info.state, mad::SmState::master);
}

}  // namespace
}  // namespace weft::sa
