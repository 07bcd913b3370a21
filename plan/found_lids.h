#pragma once
// LIDs that another manager gave: who takes over from it keeps them, since clients use them, whatever its own
// record says.

#include <memory>

#include "fabric/fabric.h"
#include "plan/ledger.h"

namespace weft::plan {

/// The record without what stands in the way of LIDs that live ports carry and that another manager gave:
/// those that tell any other MasterSMLID than `ours`. Ports of ours, and ports that carry a LID twice, keep
/// their record. `recorded` itself when nothing is in the way. Cost: O(ports + records).
std::shared_ptr<const LidMap> without_clashes(std::shared_ptr<const LidMap> recorded,
                                              const fabric::Fabric& fabric, Lid ours);

}  // namespace weft::plan
