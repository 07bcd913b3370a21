#pragma once
// The order in which new LIDs are dealt. In a plain tree hosts go plane by plane: by their position under the
// leaf modulo the leaf's up links, then leaf by leaf with the leaves of a pod side by side. The hosts that
// share a way up then share LFT blocks, and one fault touches few of them. Ranks and neighbours are enough to
// tell; no engine is asked.

#include <cstdint>
#include <vector>

#include "fabric/fabric.h"

namespace weft::plan {

struct LidOrder {
  std::vector<std::uint32_t> hosts;     ///< Indices into Fabric::end_ports().
  std::vector<std::uint32_t> switches;  ///< Likewise: the ports 0, leaves first in a tree.
  bool plain_tree = false;
};

/// A tree is plain when every link between switches joins neighbouring ranks, counted from the leaves up.
/// Leaves are the switches with hosts; if that gives no tree, those with at least half as many hosts as any
/// has, so that a manager or an aggregation node on a spine does not hide it. Otherwise: by GUID of the
/// switch a host hangs on, then port. Cost: O(n log n).
LidOrder lid_order(const fabric::Fabric& fabric);

}  // namespace weft::plan
