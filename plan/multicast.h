#pragma once
// Multicast: from what clients have joined to what every switch's multicast table should hold: a tree for
// each MLID in use. Pure. Trees of MLIDs whose members have not changed are taken over.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plan/sa_state.h"
#include "plan/view.h"
#include "routing/multicast.h"

namespace weft::plan {

using MulticastEntry = routing::MulticastEntry;
/// By SwitchId of the View's Fabric; entries by rising MLID.
using MulticastTables = std::vector<std::vector<MulticastEntry>>;

struct MulticastPlan {
  std::shared_ptr<const View> view;
  std::shared_ptr<const routing::MulticastBasis> basis;
  McGroups groups;                                                     ///< What it was made from.
  std::map<Lid, std::shared_ptr<const routing::MulticastTree>> trees;  ///< By MLID.
  std::shared_ptr<const MulticastTables> tables;
  std::vector<Lid> changed;  ///< MLIDs whose tree is not the one before, rising; all of them on a new View.
  bool all = false;          ///< Everything is new: blocks of MLIDs that are no longer used, too.
  Lid top{};                 ///< Highest MLID in use; 0 when there is none.
  std::vector<std::string> problems;  ///< Members that cannot be served, and why.
};

/// `before` may be null. The View must have a plan.
/// Cost: for a new View, the basis and every tree; else a tree for each MLID whose members have changed.
std::shared_ptr<const MulticastPlan> plan_multicast(std::shared_ptr<const View> view, const SaState& state,
                                                    const MulticastPlan* before);

}  // namespace weft::plan
