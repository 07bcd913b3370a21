#include "mad/blocks.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "mad/sm_info.h"

namespace weft::mad {
namespace {

AttrData filled(int byte) {
  AttrData data;
  data.fill(static_cast<std::uint8_t>(byte));
  return data;
}

/// Modifiers as they occur: dense from 0, and far apart (multicast positions, P_Key blocks of high ports).
rc::Gen<std::uint32_t> modifiers() {
  return rc::gen::oneOf(rc::gen::inRange<std::uint32_t>(0, 12),
                        rc::gen::element<std::uint32_t>(0x10000000u, 0x10000001u, 0x00240000u, 0xffffffffu));
}

RC_GTEST_PROP(BlockTable, BehavesLikeASortedMap, ()) {
  BlockTable table;
  std::map<std::uint32_t, AttrData> map;
  const int steps = *rc::gen::inRange(0, 60);
  for (int i = 0; i < steps; ++i) {
    const std::uint32_t modifier = *modifiers();
    if (*rc::gen::inRange(0, 4) == 0) {
      table.erase(modifier);
      map.erase(modifier);
    } else {
      table.set(modifier, filled(i));
      map[modifier] = filled(i);
    }
    const std::uint32_t asked = *modifiers();
    const AttrData* found = table.find(asked);
    RC_ASSERT((found != nullptr) == map.contains(asked));
    if (found != nullptr) RC_ASSERT(*found == map[asked]);
  }
  RC_ASSERT(table.size() == map.size());
  std::size_t at = 0;
  for (const auto& [modifier, data] : map) {
    RC_ASSERT(table.modifiers()[at] == modifier);
    RC_ASSERT(table.data()[at] == data);
    ++at;
  }
}

TEST(BlockTable, KeepsModifiersInOrderHoweverTheyCame) {
  BlockTable up;
  BlockTable down;
  for (std::uint32_t i = 0; i < 50; ++i) {
    up.set(i, filled(static_cast<int>(i)));
    down.set(49 - i, filled(static_cast<int>(49 - i)));
  }
  EXPECT_EQ(up, down);
  EXPECT_TRUE(std::ranges::is_sorted(down.modifiers()));
}

TEST(DeviceBlocks, KnowsNothingAtFirstAndAfterErase) {
  DeviceBlocks device;
  EXPECT_EQ(device.find(AttrId::port_info, 1), nullptr);
  device.set(AttrId::port_info, 1, filled(1));
  device.set(AttrId::linear_forwarding, 1, filled(2));
  ASSERT_NE(device.find(AttrId::port_info, 1), nullptr);
  EXPECT_EQ(*device.find(AttrId::port_info, 1), filled(1));
  EXPECT_EQ(*device.find(AttrId::linear_forwarding, 1), filled(2));
  device.erase(AttrId::port_info, 1);
  device.erase(AttrId::port_info, 2);  // never known: ignored
  EXPECT_EQ(device.find(AttrId::port_info, 1), nullptr);
  device.erase(AttrId::linear_forwarding);
  EXPECT_EQ(device, DeviceBlocks{});
}

TEST(Blocks, AreKeptByGuid) {
  Blocks blocks;
  EXPECT_EQ(blocks.find_device(Guid{1}), nullptr);
  EXPECT_EQ(blocks.find(Guid{1}, AttrId::node_info, 0), nullptr);
  blocks.set(Guid{1}, AttrId::node_info, 0, filled(1));
  blocks.set(Guid{2}, AttrId::node_info, 0, filled(2));
  EXPECT_EQ(blocks.device_count(), 2u);
  EXPECT_EQ(*blocks.find(Guid{2}, AttrId::node_info, 0), filled(2));
  blocks.drop_device(Guid{2});
  EXPECT_EQ(blocks.find(Guid{2}, AttrId::node_info, 0), nullptr);
  EXPECT_NE(blocks.find(Guid{1}, AttrId::node_info, 0), nullptr);
}

TEST(Held, DecodesAKnownBlock) {
  DeviceBlocks device;
  EXPECT_EQ(held<SmInfo>(device, AttrId::sm_info, 0), std::nullopt);
  SmInfo sm;
  sm.priority = 9;
  device.set(AttrId::sm_info, 0, encode(sm));
  EXPECT_EQ(held<SmInfo>(device, AttrId::sm_info, 0), sm);
}

}  // namespace
}  // namespace weft::mad
