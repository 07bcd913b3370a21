#pragma once
// Lft: one switch's linear forwarding table. It stands in pieces of 4,096 entries that are never written
// again and that tables share, so what a fault leaves alone is neither copied nor kept twice: at 40,000 hosts
// a dead leaf uplink changes an entry at nearly every leaf, but one piece of eleven.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

namespace weft::routing {

class Lft {
 public:
  static constexpr std::size_t kBlock = 64;  ///< Entries in one Set.
  static constexpr std::size_t kPiece = 64 * kBlock;
  static constexpr std::size_t kMostPieces = 12;  ///< Unicast LIDs end at 0xbfff.
  using Memory = std::shared_ptr<std::uint8_t[]>;
  /// Of a LID: the port it goes out by.
  struct Entry {
    std::uint16_t lid = 0;
    std::uint8_t port = 0;
  };

  Lft() = default;
  /// Sizes are multiples of kBlock, at most kPiece * kMostPieces.
  Lft(std::size_t size, std::uint8_t port);
  explicit Lft(std::span<const std::uint8_t> ports);
  /// Shares the pieces of `like` that are equal.
  Lft(std::span<const std::uint8_t> ports, const Lft& like);
  /// Stands in `memory`, which nobody writes any more.
  Lft(const Memory& memory, std::size_t size);

  /// The same but for these entries, in any order; LIDs are below size().
  Lft with(std::span<const Entry> entries) const;

  std::size_t size() const { return size_; }
  std::uint8_t operator[](std::size_t lid) const { return pieces_[lid / kPiece][lid % kPiece]; }
  /// Entries index * kBlock and on.
  std::span<const std::uint8_t, kBlock> block(std::size_t index) const {
    return std::span<const std::uint8_t, kBlock>(&pieces_[index * kBlock / kPiece][index * kBlock % kPiece],
                                                 kBlock);
  }
  std::size_t piece_count() const { return (size_ + kPiece - 1) / kPiece; }
  std::span<const std::uint8_t> piece(std::size_t index) const {
    return {pieces_[index].get(), size_ - index * kPiece < kPiece ? size_ - index * kPiece : kPiece};
  }
  bool operator==(const Lft& other) const;

 private:
  std::size_t size_ = 0;
  std::array<std::shared_ptr<const std::uint8_t[]>, kMostPieces> pieces_;
};

/// Calls use(lid) where two rows differ; where one ends, the rest of the other does.
template <typename Use>
void each_difference(const Lft& a, const Lft& b, const Use& use) {
  for (std::size_t i = 0; i < std::max(a.piece_count(), b.piece_count()); ++i) {
    const std::span<const std::uint8_t> x =
        i < a.piece_count() ? a.piece(i) : std::span<const std::uint8_t>();
    const std::span<const std::uint8_t> y =
        i < b.piece_count() ? b.piece(i) : std::span<const std::uint8_t>();
    if (x.data() == y.data() && x.size() == y.size()) continue;
    const std::size_t both = std::min(x.size(), y.size());  // whole blocks
    for (std::size_t j = 0; j < both; j += Lft::kBlock) {
      if (std::memcmp(x.data() + j, y.data() + j, Lft::kBlock) == 0) continue;
      for (std::size_t k = j; k < j + Lft::kBlock; ++k)
        if (x[k] != y[k]) use(i * Lft::kPiece + k);
    }
    for (std::size_t j = both; j < std::max(x.size(), y.size()); ++j) use(i * Lft::kPiece + j);
  }
}

}  // namespace weft::routing
