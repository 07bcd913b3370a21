#pragma once
// TreeRelief: other ways for flows that D-mod-K would squeeze into the few links that some switch of a tree
// has left. D-mod-K with holes keeps a flow at a leaf on its way as long as the switch above it leads on at
// all, however few of that switch's links live; so they would carry several times their share.
//
// A flow from a leaf to a host has by design a way of two links up, (slot of the leaf, slot of the switch
// above), and so comes down by two links near the host. Where one of these is dead, and the switch below it
// is thin (less than seven eighths of its slots live), the flow goes by another pair that is whole: first
// hosts that have lost theirs by links near them are given another root each, for all senders alike; then
// pods (leaves that have the same parents) from which some way is dead choose for themselves. Each takes the
// pair whose links have least to carry. No other flow moves, and where no switch is thin nothing is done: in
// a large tree, some dead links change entries near them alone.
//
// A function of the design and of the live links, like all of D-mod-K: no history, no threads.

#include <cstdint>
#include <span>
#include <vector>

#include "routing/tree_reach.h"
#include "routing/tree_shape.h"

namespace weft::routing {

struct LidTable;

class TreeRelief {
 public:
  /// At some switch: the LID goes up by this slot, which lives and leads to it.
  struct Entry {
    std::uint16_t lid = 0;
    std::uint16_t slot = 0;
    auto operator<=>(const Entry&) const = default;
  };

  /// Cost: O(links); where some switch is thin, O(pods * LIDs), and O(slots * slots) for each flow that
  /// moves.
  TreeRelief(const TreeShape& shape, const TreeReach& reach, const LidTable& lids);

  /// By rising LID, each once.
  std::span<const Entry> of(std::uint32_t s) const {
    return entries_.empty() ? std::span<const Entry>() : entries_[s];
  }

 private:
  std::vector<std::vector<Entry>> entries_;  // by switch; empty when no switch is thin
};

}  // namespace weft::routing
