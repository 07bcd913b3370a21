#pragma once
// Where service levels meet the rest of a plan: the lanes that routing leaves them, the partitions that their
// rules name, the groups and ports that go by them.

#include "plan/plan.h"

namespace weft::plan {

/// Fills in levels, rules, turns, VLHighLimits and the SLs of groups. Routing, partitions and port settings
/// are planned already. `link_vls`: data VLs of every link between switches.
void plan_levels(const fabric::Fabric& fabric, const Config& config, const Ledger& ledger,
                 fabric::PortRef sm_port, int link_vls, Plan& plan);

}  // namespace weft::plan
