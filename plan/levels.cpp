#include "plan/levels.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "partitions/pkey.h"

namespace weft::plan {
namespace {

/// Who is in which partition, for rules that name some; without a policy everybody is in the default one.
std::vector<qos::PartitionPorts> partition_ports(const partitions::PlannedKeys& keys,
                                                 const qos::Policy& policy, std::size_t end_ports) {
  std::vector<qos::PartitionPorts> all;
  if (policy.rules.empty()) return all;
  for (const partitions::Resolved& one : keys.partitions) {
    all.push_back({.name = one.name, .number = one.key});
    for (const partitions::Membership as : one.members)
      all.back().members.push_back(as != partitions::Membership::none);
  }
  if (all.empty())
    all.push_back({.name = "default",
                   .number = partitions::partition_of(partitions::kDefaultPkey),
                   .members = std::vector<bool>(end_ports, true)});
  return all;
}

/// Typed tables end where a port's do, as with OpenSM; told where weights are cut off by that.
void note_short_tables(const fabric::Fabric& fabric, qos::LanePlan& levels) {
  if (!levels.typed) return;
  std::size_t ports = 0;
  std::optional<fabric::PortRef> first;
  const auto cut = [](const std::vector<qos::ArbEntry>& table, std::size_t room) {
    return std::any_of(table.begin() + static_cast<std::ptrdiff_t>(std::min(room, table.size())), table.end(),
                       [](const qos::ArbEntry& entry) { return entry.weight != 0; });
  };
  for (std::size_t n = 0; n < fabric.node_count(); ++n) {
    const auto node = static_cast<NodeId>(n);
    for (std::size_t p = 1; p < fabric.ports(node).size(); ++p) {
      const fabric::PortRef ref{node, static_cast<PortNum>(p)};
      const fabric::Port& port = fabric.port(ref);
      const qos::Arbitration& tables = levels.typed->of(qos::egress_of(fabric, ref)).arbitration;
      if (!port.peer || !port.known) continue;
      if (!cut(tables.high, port.arb_high_cap) && !cut(tables.low, port.arb_low_cap)) continue;
      if (!first) first = ref;
      ++ports;
    }
  }
  if (first)
    levels.notes.push_back(
        fmt::format("qos: arbitration tables of {} ports are shorter than qos.tables, whose last entries "
                    "have no place there; "
                    "{} the first, with room for {} (high) and {} (low)",
                    ports, fabric::describe(fabric, *first), fabric.port(*first).arb_high_cap,
                    fabric.port(*first).arb_low_cap));
}

/// Groups whose partition names a level have that level's SL.
void give_sls_to_groups(Plan& plan) {
  for (partitions::Group& group : plan.partitions.groups) {
    if (group.options.level.empty()) continue;
    const auto level = std::ranges::find(plan.levels.levels, group.options.level,
                                         [](const qos::PlannedLevel& one) { return one.level.name; });
    if (level != plan.levels.levels.end()) group.options.sl = level->sl;
  }
}

}  // namespace

void plan_levels(const fabric::Fabric& fabric, const Config& config, const Ledger& ledger,
                 fabric::PortRef sm_port, int link_vls, Plan& plan) {
  const int demand = plan.routing.routes.lanes ? plan.routing.routes.lanes->count : 1;
  plan.levels = qos::plan_lanes(config.qos, demand, link_vls, ledger.sls ? *ledger.sls : qos::AssignedSls{});
  plan.levels.layers = plan.routing.routes.layers;
  if ((plan.levels.active() || plan.levels.layers > 1) && !plan.routing.routes.lanes)
    plan.turns = std::make_shared<const Turns>(fabric, plan.routing.routes, plan.problem.destinations);
  plan.rules =
      qos::Rules(fabric, config.qos, plan.levels, sm_port,
                 partition_ports(plan.partitions, config.qos, fabric.end_ports().size()), plan.levels.notes);
  set_high_limits(fabric, plan.levels, plan.ports);
  give_sls_to_groups(plan);
  note_short_tables(fabric, plan.levels);
}

}  // namespace weft::plan
