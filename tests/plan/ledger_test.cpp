#include "plan/ledger.h"

#include <vector>

#include <gtest/gtest.h>

namespace weft::plan {
namespace {

TEST(BlockDigest, TellsBlocksApartThatDifferInOneByte) {
  const std::vector<std::uint8_t> block(64, 0xff);
  for (std::size_t i = 0; i < block.size(); ++i) {
    std::vector<std::uint8_t> other = block;
    other[i] = 1;
    EXPECT_NE(block_digest(other), block_digest(block)) << i;
  }
  EXPECT_EQ(block_digest(std::vector<std::uint8_t>(64, 0xff)), block_digest(block));
}

TEST(BlockDigest, MindsTheOrderOfWords) {
  std::vector<std::uint8_t> a(64, 0);
  std::vector<std::uint8_t> b(64, 0);
  a[0] = 7;
  b[8] = 7;
  EXPECT_NE(block_digest(a), block_digest(b));
}

TEST(LidRange, HasTwoToTheLmcLids) {
  EXPECT_EQ((LidRange{Lid{8}, 0}).size(), 1);
  EXPECT_EQ((LidRange{Lid{128}, 7}).size(), 128);
}

}  // namespace
}  // namespace weft::plan
