#pragma once
// One spanning tree for all groups of a dragonfly or Dragonfly+, whose lanes no up*/down* order goes with. It
// hangs from one group of switches: a packet goes up its own group, over the global link to the root's group,
// through that, over the global link to another, and down there. Only in the root's group does it go on to a
// global link after one, so no ways of this tree and minimal ones close a cycle, on the lanes of unicast
// (group_lanes.h); damaged fabrics are for the proof to decide.

#include <functional>
#include <optional>

#include "routing/multicast_basis.h"

namespace weft::routing {

/// The tree that hangs from the group which is `attempt`-th best linked to the others; nothing when that was
/// the last worth trying. Parts of the fabric that hang together nowhere have a tree each.
/// Cost: O(links).
std::optional<MulticastOrder> spanning_order(const SwitchGraph& graph, const Lanes& lanes,
                                             std::uint32_t attempt);

/// What leaves `from` by `port` on `lane` goes on by `out` of the switch behind it, on `out_lane`.
struct SpanningWait {
  std::uint32_t from = 0;
  std::uint8_t port = 0;
  std::uint8_t lane = 0;
  std::uint8_t out = 0;
  std::uint8_t out_lane = 0;
};

/// Every turn in a tree, on the lanes that it makes packets take. `lanes` may be null.
void each_spanning_wait(const SwitchGraph& graph, const MulticastOrder& tree, const Lanes* lanes,
                        const std::function<void(const SpanningWait&)>& use);

}  // namespace weft::routing
