// Cases T1 to T4, T12 to T20: tables that devices hold. Names carry the cases' numbers.

#include "sa/tables.h"

#include <gtest/gtest.h>

#include "mad/node_info.h"
#include "mad/switch_info.h"
#include "mad/tables.h"
#include "tests/sa/desk.h"

namespace weft::sa {
namespace {

using mad::AttrId;
using mad::Method;
using mad::SaAttr;

/// A Desk whose devices answer what they are asked: 64 P_Keys an HCA, 8 a switch port, VL 1 for SL 1.
struct TableDesk : Desk {
  Answer read_and_ask(Method method, SaAttr attribute, std::uint64_t mask) {
    Request made = request(method, attribute, mask);
    made.data = data;
    for (int round = 0; round < 3; ++round)
      for (const TableBlock& block : missing_tables(made, context(), 4096)) {
        tables.set(block.holder, block.attribute, block.modifier, held_by(block));
        ++reads;
      }
    return ask(made);
  }
  static mad::AttrData held_by(const TableBlock& block) {
    switch (block.attribute) {
      case AttrId::node_info: {
        mad::NodeInfo info;
        info.partition_cap = 64;
        return mad::encode(info);
      }
      case AttrId::switch_info: {
        mad::SwitchInfo info;
        info.partition_enforcement_cap = 8;
        return mad::encode(info);
      }
      case AttrId::pkey_table: {
        mad::PkeyTable table;
        if ((block.modifier & 0xffff) == 0) table.keys[0] = Pkey{0xffff};
        return mad::encode(table);
      }
      case AttrId::sl_to_vl: {
        mad::SlToVlTable table;
        table.vl[1] = Vl{1};
        return mad::encode(table);
      }
      default:
        return {};
    }
  }
  void ask_for(std::uint64_t lid, std::uint64_t byte2 = 0, std::uint64_t byte3 = 0, std::uint64_t byte4 = 0) {
    data.assign(200, 0);
    put_bits(std::span<std::uint8_t>(data), 0, 16, lid);
    put_bits(std::span<std::uint8_t>(data), 16, 8, byte2);
    put_bits(std::span<std::uint8_t>(data), 24, 8, byte3);
    put_bits(std::span<std::uint8_t>(data), 32, 8, byte4);
  }
  int reads = 0;
};

TEST(T1ToT4, LanesOfServiceLevels) {
  TableDesk desk;
  EXPECT_EQ(count(desk.read_and_ask(Method::get_table, SaAttr::sl_to_vl_record, 0)), 166u);
  desk.ask_for(raw(desk.lid_of("HcaB")), 0, 1);
  Answer one = desk.read_and_ask(Method::get, SaAttr::sl_to_vl_record, bits({0, 1, 2}));
  EXPECT_EQ(one.status, 0);
  EXPECT_EQ(get_bits(one.data, 16, 16), 0u) << "T2: an HCA's table has no ports";
  EXPECT_EQ(get_bits(one.data, 64, 8), 0x01u) << "SL 0 to VL 0, SL 1 to VL 1";
  desk.ask_for(raw(desk.lid_of("S1")), 1, 2);
  one = desk.read_and_ask(Method::get, SaAttr::sl_to_vl_record, bits({0, 1, 2}));
  EXPECT_EQ(one.status, 0);
  EXPECT_EQ(get_bits(one.data, 16, 16), 0x0102u) << "T3";
  desk.ask_for(0x7000);
  EXPECT_EQ(count(desk.read_and_ask(Method::get_table, SaAttr::sl_to_vl_record, bit(0))), 0u) << "T4";
}

TEST(T14ToT16, Arbitration) {
  TableDesk desk;
  EXPECT_EQ(count(desk.read_and_ask(Method::get_table, SaAttr::vl_arbitration_record, 0)), 88u);
  desk.ask_for(raw(desk.lid_of("HcaB")), 1, 1);
  EXPECT_EQ(desk.read_and_ask(Method::get, SaAttr::vl_arbitration_record, bits({0, 1, 2})).status, 0);
  desk.ask_for(raw(desk.lid_of("HcaB")), 0, 1);
  EXPECT_EQ(desk.read_and_ask(Method::get, SaAttr::vl_arbitration_record, bits({0, 1, 2})).status, 0)
      << "an HCA's port is the one with the LID, as osmtest asks";
  desk.ask_for(0x7000, 1, 1);
  EXPECT_EQ(desk.read_and_ask(Method::get, SaAttr::vl_arbitration_record, bits({0, 1, 2})).status, 0x0300);
}

TEST(T17ToT20, PartitionTablesAreForTheTrusted) {
  TableDesk desk;
  EXPECT_EQ(desk.read_and_ask(Method::get_table, SaAttr::pkey_table_record, 0).status, 0x0200);
  EXPECT_EQ(desk.reads, 0) << "nothing is read for somebody who may not see it";
  desk.trusted = true;
  EXPECT_EQ(count(desk.read_and_ask(Method::get_table, SaAttr::pkey_table_record, 0)), 2u * 4 + 2 * (2 + 8));
  desk.ask_for(raw(desk.lid_of("HcaB")), 0, 0, 1);
  const Answer one = desk.read_and_ask(Method::get, SaAttr::pkey_table_record, bits({0, 1, 2}));
  EXPECT_EQ(one.status, 0);
  EXPECT_EQ(get_bits(one.data, 64, 16), 0xffffu);
  for (const std::uint64_t nobody : {0x7000u, 0xffffu}) {
    desk.ask_for(nobody);
    EXPECT_EQ(count(desk.read_and_ask(Method::get_table, SaAttr::pkey_table_record, bit(0))), 0u);
  }
}

TEST(MissingTables, NamesOnlyWhatTheQueryNeedsAndOnce) {
  TableDesk desk;
  desk.ask_for(raw(desk.lid_of("S1")), 1, 2);
  desk.read_and_ask(Method::get, SaAttr::sl_to_vl_record, bits({0, 1, 2}));
  EXPECT_EQ(desk.reads, 1);
  desk.read_and_ask(Method::get, SaAttr::sl_to_vl_record, bits({0, 1, 2}));
  EXPECT_EQ(desk.reads, 1);
  Request all = desk.request(Method::get_table, SaAttr::sl_to_vl_record, 0);
  all.data = desk.data;
  EXPECT_EQ(missing_tables(all, desk.context(), 10).size(), 11u) << "one more than allowed says so";
}

TEST(T12ToT13, MulticastTablesAsPlanned) {
  Desk desk;
  EXPECT_EQ(count(desk.table(SaAttr::mft_record)), 0u) << "T12";
  auto tables = std::make_shared<plan::MulticastTables>(2);
  (*tables)[1] = {{Lid{0xc000}, {0x82}}, {Lid{0xc021}, {0x06}}};
  desk.multicast = tables;
  const Answer all = desk.table(SaAttr::mft_record);
  ASSERT_EQ(count(all), 2u) << "T13: a block each for two MLIDs, on one switch";
  EXPECT_EQ(get_bits(all.data, 64, 16), 0x82u);
  EXPECT_EQ(get_bits(all.data, 72 * 8 + 23, 9), 1u);
  EXPECT_EQ(get_bits(all.data, 72 * 8 + 64 + 16, 16), 0x06u);
}

}  // namespace
}  // namespace weft::sa
