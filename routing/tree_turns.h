#pragma once
// TreeTurns: in a tree, ways to what no way up and then down leads to: a core's own LID from a leaf that its
// plane has lost, another core, whatever is left in wreckage. Such a packet must turn from down to up
// somewhere, and where it may is told by one order of all switches (up_down_order.h has the same idea for any
// graph): packets first go towards earlier switches, then towards later ones.
//
// The order is grown from one top switch on, always by the highest rank next to what is in it. As long as no
// switch has two parents that hang together above it (true for every XGFT and PGFT, whatever its holes),
// every way up and then down by rank is also one along the order: a switch comes in after everything that
// hangs together above the one that brought it. So tables by rank, and these ways beside them, together close
// no cycle. Elsewhere the check judges.
//
// Source: up*/down* routing (Schroeder et al., Autonet, 1991); turning in one leaf, as Bogdanski et al.,
// sFtree (ACM TACO 2012), which has no way where that leaf has none.

#include <cstdint>
#include <vector>

#include "routing/tree_reach.h"
#include "routing/tree_shape.h"

namespace weft::routing {

class TreeTurns {
 public:
  static constexpr std::uint32_t kNone = ~0U;

  /// Over the live links. Cost: O(links + switches * switches / 64).
  TreeTurns(const TreeShape& shape, const TreeReach& reach);

  /// What hangs together by live links, numbered from 0; by switch.
  const std::vector<std::uint32_t>& parts() const { return part_; }
  /// By switch: its place in the order; parts do not mix.
  const std::vector<std::uint32_t>& positions() const { return position_; }
  /// The neighbour that brought a switch into the order, to go on by where nothing better is known; kNone for
  /// the first of its part.
  std::uint32_t before(std::uint32_t s) const { return before_[s]; }
  /// Whether packets at `s` that may only go towards later switches may go to its neighbour `n` for what
  /// `n` is safe for beyond its own subtree.
  bool leads_on(std::uint32_t s, std::uint32_t n) const {
    return extra_[n] != 0 && position_[n] > position_[s];
  }
  /// Switches that `s` sends to by later switches alone, whatever entries its table and theirs have of those
  /// allowed; a bit set.
  const std::uint64_t* safe(std::uint32_t s) const {
    return safe_.data() + static_cast<std::size_t>(s) * words_;
  }
  bool operator==(const TreeTurns&) const = default;

 private:
  void find_parts(const TreeShape& shape);
  void grow(const TreeShape& shape, const TreeReach& reach);
  void find_safe(const TreeShape& shape, const TreeReach& reach, std::uint32_t s);
  bool is_later(std::uint32_t n, std::uint32_t s) const { return position_[n] > position_[s]; }

  std::uint32_t words_;
  std::vector<std::uint32_t> part_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> position_;
  std::vector<std::uint32_t> before_;
  std::vector<std::uint64_t> safe_;  // [switch][word]
  std::vector<std::uint8_t> plain_;  // by switch: safe for all below it
  std::vector<std::uint8_t> extra_;  // by switch: safe for some that are not below it
};

}  // namespace weft::routing
