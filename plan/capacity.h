#pragma once
// Capacity: switches whose forwarding table cannot hold the LIDs that the fabric needs. Assigning LIDs keeps
// below the smallest table as long as all of them fit there; where they do not, such a switch is left out, or
// it would keep everybody else from getting tables. Pure.

#include <vector>

#include "plan/config.h"
#include "plan/ledger.h"

namespace weft::plan {

struct Capacity {
  Lid top{};                        ///< The highest LID in use.
  std::vector<SwitchId> too_small;  ///< Switches that cannot look it up; in order.
};

/// Cost: O(switches), and that of assign_lids where some switch holds less than all unicast LIDs.
Capacity find_too_small(const fabric::Fabric& fabric, const LidOptions& options, const Ledger& ledger);

}  // namespace weft::plan
