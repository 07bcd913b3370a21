#include "program/multicast_work.h"

#include <gtest/gtest.h>

namespace weft::program {
namespace {

using plan::MulticastEntry;

TEST(MulticastWork, RendersMasksByPositionAndFindsWhatDiffers) {
  const std::vector<MulticastEntry> entries = {{Lid{0xc001}, {1u << 3 | std::uint64_t{1} << 17}},
                                               {Lid{0xc020}, {0x2}}};
  EXPECT_EQ(get_bits(mft_block(entries, 0, 0), 16, 16), 0x8u);
  EXPECT_EQ(get_bits(mft_block(entries, 1, 0), 16, 16), 0x2u) << "port 17";
  EXPECT_EQ(get_bits(mft_block(entries, 0, 1), 0, 16), 0x2u);
  mad::DeviceBlocks held;
  const std::vector<std::uint32_t> blocks = {0, 1};
  EXPECT_EQ(mft_unknown(36, blocks, &held).size(), 6u) << "three positions of two blocks";
  EXPECT_TRUE(mft_work(entries, 36, blocks, &held).empty()) << "unknown ones are read first";
  for (const std::uint32_t modifier : mft_unknown(36, blocks, &held))
    held.set(mad::AttrId::multicast_forwarding, modifier, {});
  const auto work = mft_work(entries, 36, blocks, &held);
  ASSERT_EQ(work.size(), 3u);
  EXPECT_EQ(work[1].modifier, 1u << 28);
}

}  // namespace
}  // namespace weft::program
