#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "plan/levels.h"
#include "plan/naming.h"
#include "plan/plan.h"
#include "plan/port_sets.h"
#include "plan/renamed.h"
#include "plan/roots.h"
#include "plan/taken_over.h"

namespace weft::plan {
namespace {

constexpr std::uint32_t kIsSm = 1u << 1;  ///< CapabilityMask: a subnet manager runs behind this port.

/// By rising LID: all end ports with a LID that hang on a switch or are one.
std::vector<routing::Destination> destinations(const fabric::Fabric& fabric, const Lids& lids,
                                               fabric::PortRef sm_port,
                                               const std::vector<std::uint8_t>& kinds) {
  std::vector<routing::Destination> all;
  const std::span<const fabric::PortRef> ends = fabric.end_ports();
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const LidRange range = lids.of_end_port[i];
    if (range.base == kLidNone) continue;
    routing::Destination destination{.base = range.base, .lmc = range.lmc};
    const fabric::Port& port = fabric.port(ends[i]);
    if (const std::optional<SwitchId> self = fabric.switch_of(ends[i].node)) {
      destination.at = *self;
      destination.runs_sm = ends[i] == sm_port || (port.capabilities & kIsSm) != 0;
    } else {
      const std::optional<SwitchId> leaf = fabric.switch_of(port.peer->node);
      if (!leaf) continue;  // two hosts back to back
      destination.at = *leaf;
      destination.port = port.peer->port;
      destination.kind = kinds[raw(ends[i].node)];
    }
    all.push_back(destination);
  }
  // No two have the same LID: each has its place.
  constexpr std::uint32_t kFree = ~0u;
  std::vector<std::uint32_t> by_lid(std::size_t{raw(lids.top)} + 1, kFree);
  for (std::uint32_t i = 0; i < all.size(); ++i) by_lid[raw(all[i].base)] = i;
  std::vector<routing::Destination> sorted;
  sorted.reserve(all.size());
  for (const std::uint32_t i : by_lid)
    if (i != kFree) sorted.push_back(all[i]);
  return sorted;
}

/// What keeps SLs from standing for layers; empty when nothing does. Groups and what goes to the manager are
/// in the first layer.
std::string_view sls_taken_by(const Config& config) {
  if (!config.qos.levels.empty()) return "qos.levels are given, and an SL cannot stand for both";
  if (config.qos.tables) return "qos.tables are given, and an SL cannot stand for both";
  if (raw(config.subnet.sm_sl) != 0) return "subnet.sm_sl is not 0";
  const auto away = [](const partitions::GroupOptions& group) { return raw(group.sl.value_or(Sl{0})) != 0; };
  for (const partitions::Partition& partition : config.partitions.partitions)
    if (std::ranges::any_of(partition.broadcast, away) ||
        std::ranges::any_of(partition.groups, away, &partitions::ExtraGroup::options))
      return "a group of a partition has an SL other than 0";
  return {};
}

int layers_for(const Config& config, int link_vls, std::vector<std::string>& notes) {
  if (config.routing.chain.layers <= 1) return 1;
  const std::string_view taken = sls_taken_by(config);
  if (taken.empty()) return std::min(config.routing.chain.layers, link_vls);
  notes.push_back(fmt::format("routing.layers: one layer, since {}", taken));
  return 1;
}

/// Whether what the configuration tells routing by name is the same as when this plan was made.
bool routed_alike(const fabric::Fabric& fabric, const Config& config, fabric::PortRef sm_port,
                  const Plan& previous) {
  const routing::Problem& problem = previous.problem;
  const Naming naming = read_names(fabric, config.routing);
  if (find_roots(fabric, config.routing.roots).guids != problem.roots || naming.ranks != problem.ranks ||
      naming.groups != problem.groups)
    return false;
  const auto now = destinations(fabric, previous.lids, sm_port, naming.kinds);
  std::vector<routing::Destination> here = problem.destinations;
  std::erase_if(here, [](const routing::Destination& one) { return one.away; });
  return std::ranges::equal(now, here, {}, &routing::Destination::kind, &routing::Destination::kind);
}

}  // namespace

Result<Planned> make_plan(const fabric::Fabric& fabric, const Config& config, const Ledger& ledger,
                          fabric::PortRef sm_port, const Plan* previous, const fabric::Fabric* in_force) {
  const std::span<const fabric::PortRef> ends = fabric.end_ports();
  const auto sm = std::ranges::lower_bound(ends, sm_port);
  if (sm == ends.end() || *sm != sm_port)
    return fail(Errc::unavailable, "{}, the manager's own, has no link", describe(fabric, sm_port));

  auto plan = std::make_shared<Plan>();
  std::optional<Before> before;
  if (previous != nullptr && in_force != nullptr) before.emplace(Before{*in_force, *previous});
  std::optional<Lids> lids;
  if (before) lids = same_lids(fabric, ledger, *before);
  plan->lids = lids ? std::move(*lids) : assign_lids(fabric, config.lids, ledger);
  plan->notes = plan->lids.notes;
  plan->sm_lid = plan->lids.of_end_port[static_cast<std::size_t>(sm - ends.begin())].base;
  if (plan->sm_lid == kLidNone)
    return fail(Errc::exhausted, "no LID is left for {}, the manager's own", describe(fabric, sm_port));

  Roots roots = find_roots(fabric, config.routing.roots);
  plan->notes.insert(plan->notes.end(), roots.notes.begin(), roots.notes.end());
  plan->usable = usable_fabric(fabric, *ledger.orders, config.routing.slow_links);
  plan->problem.fabric = plan->usable ? plan->usable.get() : &fabric;
  Naming naming = read_names(fabric, config.routing);
  plan->notes.insert(plan->notes.end(), naming.notes.begin(), naming.notes.end());
  plan->problem.destinations = destinations(fabric, plan->lids, sm_port, naming.kinds);
  plan->problem.top = plan->lids.top;
  if (previous != nullptr) keep_places(fabric, *previous, *plan->lids.map, plan->problem);
  plan->problem.ranks = std::move(naming.ranks);
  plan->problem.groups = std::move(naming.groups);
  plan->problem.roots = std::move(roots.guids);
  plan->problem.previous = previous ? &previous->routing.routes : nullptr;
  plan->problem.good = previous ? previous->routing.good : nullptr;
  std::shared_ptr<const routing::Design> design_now = routing::learned(ledger.design, fabric);
  plan->problem.design = design_now.get();
  plan->problem.threads = std::thread::hardware_concurrency();
  plan->partitions = partitions::plan_keys(fabric, config.partitions, ledger.partitions, sm_port);
  std::optional<std::vector<PortSettings>> settings;
  if (before) settings = same_settings(fabric, config, *plan, *before);
  plan->ports = settings ? std::move(*settings)
                         : port_settings(fabric, config, plan->lids, plan->sm_lid, plan->partitions);
  plan->port_orders = port_orders(fabric, *ledger.orders, sm_port);
  keep_closed(fabric, plan->port_orders, plan->ports);
  routing::ChainOptions chain = config.routing.chain;
  chain.vls = lanes_between_switches(fabric, plan->ports);
  chain.layers = layers_for(config, chain.vls, plan->notes);
  Result<routing::ChainResult> routed =
      routing::route(plan->problem, chain, previous ? &previous->routing.report : nullptr);
  if (!routed) return fail(std::move(routed.error()));
  plan->routing = std::move(*routed);
  plan_levels(fabric, config, ledger, sm_port, chain.vls, *plan);
  if (previous) {
    const bool levels_move = !qos::same_lanes(previous->levels, plan->levels);
    routing::Problem all = plan->problem;
    all.fabric = &fabric;  // where traffic is kept off from now on, packets still wait for each other
    auto transition = routing::find_transition(all, previous->routing.routes, plan->routing.routes,
                                               levels_move, previous->routing.report.waits.get());
    if (transition.entries != 0 || transition.lanes_change)
      plan->transition = std::make_shared<const routing::Transition>(std::move(transition));
  }
  plan->port_sets = plan_port_sets(plan->problem, plan->routing.routes, config.routing.port_sets,
                                   previous ? previous->port_sets : nullptr, plan->notes);
  plan->problem.good = nullptr;
  plan->problem.previous = nullptr;  // the plan may outlive both
  plan->problem.design = nullptr;
  if (!plan->routing.recognised.empty()) plan->notes.push_back("recognised: " + plan->routing.recognised);
  const std::vector<std::string>& why = plan->routing.routes.notes;
  plan->notes.insert(plan->notes.end(), why.begin(), why.end());

  plan->packet_lifetime = config.subnet.packet_lifetime;
  Ledger after = ledger;
  after.lids = plan->lids.map;
  after.design = std::move(design_now);
  after.partitions = plan->partitions.memory;
  if (!plan->levels.assigned.empty() && !(ledger.sls && *ledger.sls == plan->levels.assigned))
    after.sls = std::make_shared<const qos::AssignedSls>(plan->levels.assigned);
  return Planned{std::move(plan), std::move(after)};
}

Result<std::optional<Planned>> plan_renamed(const fabric::Fabric& fabric, const Config& config,
                                            const Ledger& ledger, fabric::PortRef sm_port,
                                            const Plan& previous) {
  if (!routed_alike(fabric, config, sm_port, previous)) {
    Result<Planned> all = make_plan(fabric, config, ledger, sm_port, &previous);
    if (!all) return fail(std::move(all.error()));
    return std::optional(std::move(*all));
  }
  const bool rules = !config.qos.rules.empty();
  if (config.partitions.partitions.empty() && !rules) return std::optional<Planned>();
  partitions::PlannedKeys keys = partitions::plan_keys(fabric, config.partitions, ledger.partitions, sm_port);
  const bool same_keys = keys.memory == ledger.partitions && keys.notes == previous.partitions.notes &&
                         keys.problems == previous.partitions.problems;
  if (same_keys && !rules) return std::optional<Planned>();
  auto plan = std::make_shared<Plan>(previous);
  plan->partitions = std::move(keys);
  plan->transition = nullptr;
  plan_levels(fabric, config, ledger, sm_port, lanes_between_switches(fabric, plan->ports), *plan);
  Ledger after = ledger;
  after.partitions = plan->partitions.memory;
  return std::optional(Planned{std::move(plan), std::move(after)});
}

}  // namespace weft::plan
