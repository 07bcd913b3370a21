#pragma once
// RoutesOver: what still goes over a link, or through a switch, by the planned tables. To tell whether it can
// be pulled. Pure.

#include <cstddef>

#include "plan/multicast.h"
#include "plan/upkeep.h"
#include "plan/view.h"

namespace weft::plan {

struct RoutesOver {
  std::size_t lids = 0;    ///< Unicast: LIDs of others that some switch sends over it.
  std::size_t groups = 0;  ///< Multicast: MLIDs whose tree has a branch over it.
  bool none() const { return lids == 0 && groups == 0; }
};

/// Of a switch as a whole: what passes through it, so that its own LIDs and those of hosts on it do not
/// count. Of a link: all but the LIDs of a switch or host that has no other link, and of a switch that is
/// drained as a whole, which has no better way than its drained links. `multicast` may be null.
/// Cost: O(LIDs * links concerned).
RoutesOver routes_over(const View& view, Place place, const MulticastTables* multicast);

}  // namespace weft::plan
