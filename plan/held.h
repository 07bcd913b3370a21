#pragma once
// Held: a plan whose way to its tables begins at what switches hold, where that is not what the plan before
// it says. Pure.

#include "plan/plan.h"
#include "routing/held_transition.h"

namespace weft::plan {

using routing::kUnknownWay;

/// `lanes_move`, `unsure`: as for routing::find_transition_from_held. Cost: O(switches * LIDs).
std::shared_ptr<const Plan> with_way_from(const fabric::Fabric& fabric, const Plan& plan,
                                          const routing::Routes& held, bool lanes_move, bool unsure);

}  // namespace weft::plan
