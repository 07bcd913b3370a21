// The byte images of adaptive-routing attributes that are known from elsewhere.
#include "mad/adaptive_routing.h"

#include <gtest/gtest.h>

#include "mad/smp.h"

namespace weft::mad {
namespace {

TEST(AdaptiveRouting, WritesAPortMaskAsOneBigNumber) {
  PortMask ports;
  ports[3] = ports[4] = ports[17] = true;
  ArGroupTable table;
  set_element(table, 0, ports);
  const AttrData data = encode(table);
  EXPECT_EQ(data[29], 0x02);
  EXPECT_EQ(data[31], 0x18);
  EXPECT_EQ(std::count(data.begin(), data.end(), 0), 62);
  EXPECT_EQ(element_of(table, 0), ports);
  EXPECT_TRUE(element_of(table, 1).none());
  set_element(table, 1, ports);
  EXPECT_EQ(encode(table)[63], 0x18);
}

TEST(AdaptiveRouting, WritesAnEntryAsStateTablePortAndGroup) {
  EXPECT_EQ(pack({ArLidState::free, 0, PortNum{3}, 18}), 0x40030012u);
  EXPECT_EQ(pack({ArLidState::fixed, 0, PortNum{7}, 0}), 0x80070000u);
  EXPECT_EQ(pack({ArLidState::hashed, 0, PortNum{3}, 18}), 0xc0030012u);
  const ArLftEntry entry{ArLidState::bounded, 5, PortNum{200}, 0xabc};
  EXPECT_EQ(ar_lft_entry(pack(entry)), entry);
}

TEST(AdaptiveRouting, WritesGroupCapacityAndTransportsWhereTheyBelong) {
  ArInfo info;
  info.group_tables = 1;
  info.group_top = 63;
  info.group_cap = 2048;
  info.transport_disable = 5;
  const AttrData data = encode(info);
  EXPECT_EQ(hex(std::span(data).subspan(4, 4)), "01 03 f8 00");
  EXPECT_EQ(data[15], 0x05);
}

TEST(AdaptiveRouting, WritesPrivateTables) {
  PlftDef def;
  def.tables[0] = 0x00600000;
  def.tables[1] = 0x01600000;
  const AttrData data = encode(def);
  EXPECT_EQ(hex(std::span(data).first(8)), "00 60 00 00 01 60 00 00");
}

TEST(GeneralInfo, CountsItsBitsFromTheFirstWord) {
  GeneralInfo info;
  offer(info, GeneralCap::adaptive_routing);
  offer(info, GeneralCap::out_of_order);
  const AttrData data = encode(info);
  EXPECT_EQ(hex(std::span(data).first(4)), "40 00 00 02");
  EXPECT_TRUE(has(info, GeneralCap::out_of_order));
  EXPECT_FALSE(has(info, GeneralCap::private_lft));
}

TEST(Vendor, IsMellanoxByItsOui) {
  EXPECT_TRUE(is_mellanox(0x0002c9));
  EXPECT_TRUE(is_mellanox(0xb8599f));
  EXPECT_FALSE(is_mellanox(0x001175)) << "TrueScale uses the same attribute numbers otherwise";
  EXPECT_FALSE(is_mellanox(0));
}

}  // namespace
}  // namespace weft::mad
