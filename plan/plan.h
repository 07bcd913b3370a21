#pragma once
// Plan: everything the fabric should hold, decided and checked. make_plan is pure: values in, values out.

#include "base/result.h"
#include "partitions/plan_keys.h"
#include "plan/config.h"
#include "plan/ledger.h"
#include "plan/lids.h"
#include "plan/port_settings.h"
#include "plan/turns.h"
#include "plan/upkeep.h"
#include "qos/rules.h"
#include "routing/chain.h"
#include "routing/check.h"
#include "routing/port_sets.h"
#include "routing/transition.h"

namespace weft::plan {

struct Plan {
  Lids lids;
  Lid sm_lid{};
  routing::Problem problem;  ///< What the routes answer; its fabric pointer is the View's.
  routing::ChainResult routing;
  /// What routes and trees may use of the View's Fabric; null: all of it. Ids are the same.
  std::shared_ptr<const fabric::Fabric> usable;
  std::vector<PortSettings> ports;     ///< By index of Fabric's ports.
  std::vector<PortOrder> port_orders;  ///< Ports to be disabled or enabled.
  partitions::PlannedKeys partitions;
  qos::LanePlan levels;
  qos::Rules rules;
  std::shared_ptr<const Turns> turns;  ///< Null: every pair of ports counts.
  std::uint8_t packet_lifetime = 0;
  std::vector<std::string> notes;
  /// How to get from the previous plan's tables to these; nothing without a previous plan, or when no table
  /// changes.
  std::shared_ptr<const routing::Transition> transition;
  /// For adaptive routing, proven safe; null unless asked for, and where `notes` tell why there are none.
  std::shared_ptr<const routing::PortSets> port_sets;

  const routing::Routes& routes() const { return routing.routes; }
  /// Tables to write and confirm before the final ones; null when these may be written in any order.
  const routing::Routes* dark() const {
    return transition && transition->dark ? &*transition->dark : nullptr;
  }
};

struct Planned {
  std::shared_ptr<const Plan> plan;
  Ledger ledger;
};

/// Plans the whole subnet as seen from the manager's own port. `previous` may be null; rows that do not
/// change are shared with it. `in_force`: the Fabric that `previous` is in force on, as it is after that,
/// where `config` is the one that it was made with; else null. What has not changed since is then not planned
/// anew. Errors: `unsafe` when no allowed engine gives tables that pass the check; `exhausted` when the
/// manager's own port gets no LID.
Result<Planned> make_plan(const fabric::Fabric& fabric, const Config& config, const Ledger& ledger,
                          fabric::PortRef sm_port, const Plan* previous,
                          const fabric::Fabric* in_force = nullptr);

}  // namespace weft::plan
