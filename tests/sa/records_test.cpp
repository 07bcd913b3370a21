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

TEST(N6N8, NodesByGuidAndByName) {
  Desk desk;
  desk.data.assign(200, 0);
  put_bits(std::span<std::uint8_t>(desk.data), 192, 64, raw(desk.guid_of("HcaB")));
  EXPECT_EQ(count(desk.ask(desk.request(Method::get_table, SaAttr::node_record, bit(8)))), 1u);
  desk.data.assign(200, 0);
  encode_into(std::span<std::uint8_t>(desk.data).subspan(44), mad::NodeDescription{"HcaC"});
  EXPECT_EQ(count(desk.ask(desk.request(Method::get_table, SaAttr::node_record, bit(14)))), 1u);
}

TEST(N11, EveryPortOfAnHcaHasARecord) {
  topology::Topology made = two_switches();
  topology::Node& two_ports = made.nodes[2];
  two_ports.port_count = 2;
  two_ports.port_guids = {Guid{0x1001}, Guid{0x1002}};
  made.cables.push_back({{2, PortNum{2}}, {1, PortNum{3}}, LinkWidth::x4, LinkSpeed::sdr});
  Desk desk(made);
  desk.data.assign(200, 0);
  put_bits(std::span<std::uint8_t>(desk.data), 128, 64, 0x1000);
  const Answer both = desk.ask(desk.request(Method::get_table, SaAttr::node_record, bit(7)));
  ASSERT_EQ(count(both), 2u);
  const auto info = [&both](std::size_t i) {
    return mad::decode<mad::NodeInfo>(std::span<const std::uint8_t>(both.data).subspan(i * 112 + 4));
  };
  EXPECT_NE(info(0).port_guid, info(1).port_guid);
  EXPECT_NE(info(0).local_port, info(1).local_port);
}

/// Asks for ports whose PortInfo has these values.
Answer ports_like(Desk& desk, std::uint64_t mask, const mad::PortInfo& like, std::uint32_t modifier = 0) {
  desk.data.assign(200, 0);
  encode_into(std::span<std::uint8_t>(desk.data).subspan(4), like);
  Request request = desk.request(Method::get_table, SaAttr::port_info_record, mask);
  request.header.modifier = modifier;
  return desk.ask(request);
}

TEST(I6I7, CapabilityMasksMatchByBitsOrAsAWhole) {
  plan::Config config;
  Desk desk;
  mad::PortInfo like;
  like.capabilities = desk.index.fabric().port(desk.index.find(desk.guid_of("HcaB"))->port).capabilities;
  const std::size_t same = count(ports_like(desk, bit(kCapabilityMaskBit), like));
  EXPECT_GT(same, 0u) << "equal";
  EXPECT_GE(count(ports_like(desk, bit(kCapabilityMaskBit), like, 0x80000000)), same)
      << "at least these bits";
  like.capabilities ^= 1u << 31;
  EXPECT_EQ(count(ports_like(desk, bit(kCapabilityMaskBit), like)), 0u);
}

TEST(I9I10I11, PortsByStateTooManyAndReadOnly) {
  Desk desk;
  mad::PortInfo like;
  like.state = PortState::active;
  EXPECT_EQ(count(ports_like(desk, bit(15), like)), 6u) << "here only the ends are Active";
  EXPECT_EQ(desk.get(SaAttr::port_info_record).status, 0x0400);
  EXPECT_EQ(desk.ask(desk.request(Method::set, SaAttr::port_info_record, 0)).status, 0x000c);
}

TEST(I12I13, SpeedsAreTold) {
  topology::Topology fast = two_switches();
  fast.cables[3].speed = LinkSpeed::edr;  // HcaB's
  Desk desk(fast);
  desk.data.assign(200, 0);
  put_bits(std::span<std::uint8_t>(desk.data), 0, 16, raw(desk.lid_of("HcaB")));
  const auto told = [&] {
    const Answer one = desk.ask(desk.request(Method::get, SaAttr::port_info_record, bits({0, 2})));
    return std::pair(one.data[3],
                     mad::decode<mad::PortInfo>(std::span<const std::uint8_t>(one.data).subspan(4)));
  };
  EXPECT_EQ(told().first, 0);
  EXPECT_EQ(told().second.speed_active, 4) << "I13: QDR as well";
  EXPECT_EQ(told().second.speed_ext_active, 2) << "EDR";
  desk.data[3] = 0x80;
  EXPECT_EQ(told().first, 0x80) << "I12";
}

TEST(I14I15, NoPortHasThat) {
  Desk desk;
  mad::PortInfo like;
  like.m_key = 7;
  const Answer none = ports_like(desk, bit(3), like);
  EXPECT_EQ(none.status, 0);
  EXPECT_EQ(count(none), 0u);
  for (const unsigned lid : {0xffffu, 0u})
    EXPECT_EQ(
        count(desk.ask(Method::get_table, SaAttr::port_info_record, bit(0), LidPart{static_cast<Lid>(lid)})),
        0u);
}

TEST(I16I17, AllPortsAndAnyLidOfOne) {
  plan::Config config;
  config.lids.lmc = 1;
  Desk desk(two_switches(), config);
  EXPECT_EQ(count(desk.table(SaAttr::port_info_record)), 22u);
  const Lid second = static_cast<Lid>(raw(desk.lid_of("HcaB")) + 1);
  EXPECT_EQ(count(desk.ask(Method::get_table, SaAttr::port_info_record, bit(0), LidPart{second})), 1u);
}

TEST(T29, NobodyHasThePermissiveLid) {
  Desk desk;
  const Answer none = desk.ask(Method::get_table, SaAttr::guid_info_record, bit(0), LidPart{kLidPermissive});
  EXPECT_EQ(none.status, 0);
  EXPECT_EQ(count(none), 0u);
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

TEST(T40ToT45, ManagersByWhatTheyAre) {
  Desk desk;
  desk.self.priority = 5;
  desk.self.sm_key = 77;
  const auto like = [&](std::uint64_t mask, const mad::SmInfo& info, Lid lid = kLidNone) {
    desk.data.assign(200, 0);
    put_bits(std::span<std::uint8_t>(desk.data), 0, 16, raw(lid));
    encode_into(std::span<std::uint8_t>(desk.data).subspan(4), info);
    return count(desk.ask(desk.request(Method::get_table, SaAttr::sm_info_record, mask)));
  };
  EXPECT_EQ(like(0, {}), 1u) << "T40";
  EXPECT_EQ(like(bit(0), {}, desk.lid_of("HcaA")), 1u);
  EXPECT_EQ(like(bits({2, 5, 6}), desk.self), 1u);
  mad::SmInfo standby;
  standby.state = mad::SmState::standby;
  EXPECT_EQ(like(bit(6), standby), 0u) << "T41";
  EXPECT_EQ(desk.ask(Method::get, SaAttr::sm_info_record, bit(0), LidPart{desk.lid_of("HcaB")}).status,
            0x0300)
      << "T42";
  EXPECT_EQ(desk.ask(desk.request(Method::set, SaAttr::sm_info_record, 0)).status, 0x000c) << "T43";
  EXPECT_EQ(like(bit(3), desk.self), 0u) << "T44: its key is told to nobody";
  const std::array<OtherManager, 1> others{{{desk.lid_of("HcaC"), standby}}};
  Request all = desk.request(Method::get_table, SaAttr::sm_info_record, 0);
  all.data = desk.data;
  Context context = desk.context();
  context.others = others;
  EXPECT_EQ(count(answer(all, context)), 2u) << "T45";
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
