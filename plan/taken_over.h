#pragma once
// What a plan takes over from the one before: LIDs and port settings hang on end ports and cables alone, so
// after a fault nearly all of them stand. Each answer is the one that planning anew would give.

#include <optional>

#include "plan/ledger.h"
#include "plan/plan.h"

namespace weft::plan {

/// The last plan, and the Fabric on which it is in force: the one it was made for, or one with other states
/// of ports only.
struct Before {
  const fabric::Fabric& fabric;
  const Plan& plan;
};

/// Whether both have the same nodes, with the same ports, so that ids and indices mean the same.
bool same_nodes(const fabric::Fabric& a, const fabric::Fabric& b);

/// The LIDs of before, where nothing that they follow from has changed: the end ports, what switches can
/// hold, the record. For the same options. Cost: O(end ports).
std::optional<Lids> same_lids(const fabric::Fabric& fabric, const Ledger& ledger, const Before& before);

/// port_settings(), where the nodes, LIDs and the manager's LID are those of before, and nothing but cables
/// and options decides: no policy of partitions or levels, no ports that people want closed. For the same
/// options. Cost: O(ports) comparisons, and a copy.
std::optional<std::vector<PortSettings>> same_settings(const fabric::Fabric& fabric, const Config& config,
                                                       const Plan& plan, const Before& before);

/// Adds hosts that were there before and are away, where their LIDs are kept for them and nothing else is at
/// their place: a host that boots then changes no table. Their LIDs may be above `problem.top`, which rises.
/// Cost: O(destinations); where some are away, O(LIDs on record).
void keep_places(const fabric::Fabric& fabric, const Plan& previous, const LidMap& lids,
                 routing::Problem& problem);

}  // namespace weft::plan
