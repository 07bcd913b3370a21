#pragma once
// ChangedWays: how much of the traffic that was there before takes other ways by new tables. Pure.

#include <cstddef>

#include "fabric/fabric.h"
#include "plan/plan.h"

namespace weft::daemon {

struct PlannedFabric {
  const fabric::Fabric& fabric;
  const plan::Plan& plan;
};

struct ChangedWays {
  std::size_t entries = 0;   ///< Of forwarding tables, of LIDs that belong to the same end port as before.
  std::size_t switches = 0;  ///< That have such entries.
};

/// Switches and end ports are matched by GUID; an entry that led nowhere before, or leads nowhere now,
/// counts, too. Cost: O(switches * LIDs), rows that are shared left out.
ChangedWays changed_ways(const PlannedFabric& before, const PlannedFabric& after);

}  // namespace weft::daemon
