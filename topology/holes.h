#pragma once
// Holes: a topology with links or switches missing, chosen by a seed. What remains keeps its ports, ids and
// GUIDs, as after real failures.

#include <cstdint>

#include "topology/topology.h"

namespace weft::topology {

/// So many of something: a count, or a share of all there are.
struct Amount {
  std::uint32_t count = 0;
  double percent = 0;  ///< 0..100. Rounded, but at least one when above 0. Added to `count`.
  bool operator==(const Amount&) const = default;
};

struct Holes {
  Amount switches;  ///< Taken first.
  Amount links;     ///< Of the switch-to-switch links that are left then.
  std::uint64_t seed = 1;
  bool keep_connected = false;  ///< No link goes whose loss would split the fabric further.
};

/// The topology without them.
///
/// Switches without hosts are taken; where there are none (a torus, a dragonfly), any switch, and with it the
/// hosts that have no cable left. Links to hosts are never taken. Errors: `invalid` if there are fewer than
/// asked for.
Result<Topology> with_holes(Topology topology, const Holes& holes);

}  // namespace weft::topology
