#pragma once
// plan_renamed: what follows where nothing but descriptions of nodes has changed. Routes stay as they are,
// since no packet goes by a name; keys and levels are given by names.

#include <optional>

#include "plan/plan.h"

namespace weft::plan {

/// Plans for a Fabric that differs from that of `previous` in descriptions alone, with the configuration and
/// the orders of `previous`. Nothing when all stays as it is. Where the configuration tells routing of
/// switches and hosts by names that somebody else has now, all is planned. Errors: those of make_plan.
/// Cost: that of plan_keys, and nothing without policies.
Result<std::optional<Planned>> plan_renamed(const fabric::Fabric& fabric, const Config& config,
                                            const Ledger& ledger, fabric::PortRef sm_port,
                                            const Plan& previous);

}  // namespace weft::plan
