// A forwarding table in pieces: what is shared, and what a change copies.

#include <array>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "routing/design.h"
#include "routing/engines.h"
#include "routing/lft.h"
#include "tests/routing/fabrics.h"

namespace weft::routing {
namespace {

constexpr std::size_t kPiece = Lft::kPiece;

std::vector<std::uint8_t> counting(std::size_t size) {
  std::vector<std::uint8_t> ports(size);
  std::iota(ports.begin(), ports.end(), std::uint8_t{0});
  return ports;
}

TEST(Lft, TellsEveryEntryWhateverPieceItStandsIn) {
  const std::vector<std::uint8_t> ports = counting(2 * kPiece + 64);
  const Lft lft{std::span(ports)};
  ASSERT_EQ(lft.size(), ports.size());
  EXPECT_EQ(lft.piece_count(), 3U);
  EXPECT_EQ(lft.piece(2).size(), 64U);
  for (std::size_t lid = 0; lid < ports.size(); ++lid) ASSERT_EQ(lft[lid], ports[lid]);
  EXPECT_EQ(lft.block(65)[3], ports[65 * 64 + 3]);
  EXPECT_EQ(Lft(64, 7)[63], 7);
}

TEST(Lft, CopiesOnlyThePiecesThatChange) {
  const Lft before(3 * kPiece, 1);
  const Lft after = before.with(std::array{Lft::Entry{kPiece + 5, 9}, Lft::Entry{kPiece + 4, 8}});
  EXPECT_EQ(after[kPiece + 5], 9);
  EXPECT_EQ(after[kPiece + 4], 8);
  EXPECT_EQ(before[kPiece + 5], 1);
  EXPECT_EQ(after.piece(0).data(), before.piece(0).data());
  EXPECT_NE(after.piece(1).data(), before.piece(1).data());
  EXPECT_EQ(after.piece(2).data(), before.piece(2).data());
  EXPECT_NE(after, before);
  EXPECT_EQ(after.with(std::array{Lft::Entry{kPiece + 5, 1}, Lft::Entry{kPiece + 4, 1}}), before);
}

TEST(Lft, SharesWhatIsEqualWithTheOneBefore) {
  std::vector<std::uint8_t> ports = counting(2 * kPiece);
  const Lft before{std::span(ports)};
  ports[7] = 200;
  ports.resize(2 * kPiece + 64, 3);
  const Lft after(ports, before);
  EXPECT_NE(after.piece(0).data(), before.piece(0).data());
  EXPECT_EQ(after.piece(1).data(), before.piece(1).data());
  EXPECT_EQ(after[2 * kPiece + 63], 3);
}

/// 8,192 hosts: a row has three pieces.
TEST(Lft, IsMostlySharedAfterAFault) {
  const Drawing drawing = xgft({32, 16, 16}, {1, 16, 16});
  Case whole(drawing);
  const Design design = learn({}, *whole.fabric);
  whole.problem.design = &design;
  const Routes before = *fat_tree(whole.problem);
  Drawing cut = drawing;
  cut.cut(0);
  Case broken(cut);
  broken.problem.design = &design;
  broken.problem.previous = &before;
  const Routes after = *fat_tree(broken.problem);
  std::size_t pieces = 0;
  std::size_t copied = 0;
  for (std::size_t s = 0; s < after.lfts.size(); ++s) {
    for (std::size_t i = 0; i < after.lfts[s]->piece_count(); ++i) {
      ++pieces;
      copied += after.lfts[s]->piece(i).data() == before.lfts[s]->piece(i).data() ? 0U : 1U;
    }
  }
  EXPECT_GT(copied, 0U);
  EXPECT_LT(copied, pieces / 4);
}

}  // namespace
}  // namespace weft::routing
