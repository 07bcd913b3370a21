#include "daemon/api_json.h"

#include <algorithm>

#include <fmt/chrono.h>

#include "config/show.h"
#include "daemon/advice.h"
#include "fabric/slow_link.h"

namespace weft::daemon {

namespace json = boost::json;
using fabric::Fabric;
using fabric::PortRef;

namespace {

double milliseconds(Duration duration) { return std::chrono::duration<double, std::milli>(duration).count(); }

json::value guid_or_null(Guid guid) {
  return guid == Guid{} ? json::value(nullptr) : json::value(to_string(guid));
}

json::value name_of(Guid guid, const plan::View* view) {
  if (view == nullptr || !view->fabric) return nullptr;
  const auto id = view->fabric->find(guid);
  return id ? json::value(view->fabric->node(*id).description) : json::value(nullptr);
}

template <typename Items, typename ToJson>
json::array array_of(const Items& items, ToJson to_json_of) {
  json::array array;
  array.reserve(items.size());
  for (const auto& item : items) array.push_back(to_json_of(item));
  return array;
}

json::value optional_report(const std::optional<SweepReport>& report) {
  return report ? json::value(to_json(*report)) : json::value(nullptr);
}

/// Of the longest path between two hosts, their own two links included, as weftctl path counts.
int links_of_longest(const plan::View& view) {
  return view.plan->routing.report.longest + (view.fabric->host_count() > 1 ? 2 : 0);
}

json::value routing_json(const plan::View& view) {
  if (!view.plan) return nullptr;
  const routing::ChainResult& chain = view.plan->routing;
  json::array refusals = array_of(chain.refusals, [](const routing::Refusal& refusal) {
    return json::object{{"engine", refusal.engine}, {"reason", refusal.reason}};
  });
  return json::object{{"engine", chain.routes.engine},      {"vls_needed", chain.routes.vls_needed},
                      {"beyond_named", chain.beyond_named}, {"kept_last", chain.kept_last},
                      {"pairs", chain.report.pairs},        {"pairs_lost", chain.report.lost},
                      {"longest", links_of_longest(view)},  {"refusals", std::move(refusals)},
                      {"notes", texts(chain.routes.notes)}};
}

/// Partitions and service levels in numbers, with what is worth knowing about them.
json::object policies_json(const plan::Plan& plan) {
  const partitions::PlannedKeys& keys = plan.partitions;
  return {{"partitions", keys.active ? json::value(keys.partitions.size()) : json::value(nullptr)},
          {"partitions_in_force", !keys.refused},
          {"partition_notes", texts(keys.notes)},
          {"levels", plan.levels.levels.size()},
          {"level_notes", texts(plan.levels.notes)}};
}

json::value plan_json(const plan::View& view) {
  if (!view.plan) return nullptr;
  const plan::Lids& lids = view.plan->lids;
  return json::object{{"sm_lid", raw(view.plan->sm_lid)},
                      {"top_lid", raw(lids.top)},
                      {"known_ports", lids.map ? lids.map->size() : 0},
                      {"ports_without_lid", lids.without.size()},
                      {"lid_notes", texts(lids.notes)},
                      {"policies", policies_json(*view.plan)},
                      {"notes", texts(view.plan->notes)}};
}

}  // namespace

json::array texts(const std::vector<std::string>& items) {
  return array_of(items, [](const std::string& text) { return json::value(text); });
}

std::string time_text(WallTime time) {
  const auto since = time.time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(since - seconds);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(static_cast<std::time_t>(seconds.count())),
                     rest.count());
}

json::value to_json(const std::optional<Progress>& progress) {
  if (!progress) return nullptr;
  return json::object{{"phase", progress->phase}, {"done", progress->done}, {"total", progress->total}};
}

json::object config_json(const config::Loaded& loaded) {
  json::array settings = array_of(config::rows(loaded), [](const config::Row& row) {
    return json::object{{"key", row.key},
                        {"value", row.value},
                        {"default", row.default_value},
                        {"origin", row.origin},
                        {"needs_restart", row.needs_restart}};
  });
  return {{"settings", std::move(settings)}};
}

json::object to_json(const SweepReport& report) {
  json::array phases = array_of(report.phases, [](const PhaseReport& phase) {
    return json::object{{"name", phase.name}, {"took_ms", milliseconds(phase.took)}, {"smps", phase.smps}};
  });
  return {{"number", report.number},
          {"kind", name(report.kind)},
          {"cause", report.cause},
          {"started", time_text(report.started)},
          {"took_ms", milliseconds(report.took)},
          {"clean", report.clean},
          {"error", report.error.empty() ? json::value(nullptr) : json::value(report.error)},
          {"smps", report.smps},
          {"sets", report.sets},
          {"timeouts", report.timeouts},
          {"failed", report.failed},
          {"phases", std::move(phases)},
          {"notes", texts(report.notes)}};
}

json::object to_json(const fabric::Summary& summary) {
  json::object by_state;
  for (const auto& [state, count] : summary.links_by_state) by_state[name(state)] = count;
  json::array by_rate;
  for (const auto& [rate, count] : summary.links_by_rate) {
    by_rate.push_back(
        json::object{{"speed", name(rate.first)}, {"width", name(rate.second)}, {"links", count}});
  }
  json::object ports;
  for (const auto& [state, count] : summary.ports_by_state) ports[name(state)] = count;
  return {{"switches", summary.switches},        {"hosts", summary.hosts},
          {"routers", summary.routers},          {"links", summary.links},
          {"all_active", summary.all_active()},  {"links_by_state", std::move(by_state)},
          {"links_by_rate", std::move(by_rate)}, {"ports_by_state", std::move(ports)}};
}

json::object to_json(const Status& status, const plan::View* view) {
  json::array managers = array_of(status.other_managers, [](const OtherManager& other) {
    return json::object{{"guid", to_string(other.guid)},
                        {"priority", other.priority},
                        {"state", other.state},
                        {"path", other.path},
                        {"node", other.node}};
  });
  json::array problems = array_of(status.problems, [view](const Problem& problem) {
    return json::object{
        {"node", guid_or_null(problem.node)}, {"name", name_of(problem.node, view)}, {"what", problem.what}};
  });
  json::array issues = array_of(advice_of(status, view), [view](const Advice& one) {
    return json::object{{"severity", name(one.severity)},
                        {"text", one.text},
                        {"todo", one.todo},
                        {"command", one.command.empty() ? json::value(nullptr) : json::value(one.command)},
                        {"node", guid_or_null(one.node)},
                        {"name", name_of(one.node, view)}};
  });
  json::array dirty = array_of(status.dirty, [view](const Dirty& block) {
    return json::object{{"node", guid_or_null(block.node)},
                        {"name", name_of(block.node, view)},
                        {"what", block.what},
                        {"why", block.why}};
  });
  json::array missing(status.missing.begin(), status.missing.end());
  const bool found = view != nullptr && view->fabric;
  return {{"state", name(status.state)},
          {"text", status.text},
          {"version", status.version},
          {"device", status.device},
          {"port_guid", guid_or_null(status.port_guid)},
          {"lid", raw(status.lid)},
          {"started", time_text(status.started)},
          {"now", time_text(std::chrono::system_clock::now())},
          {"generation", status.generation},
          {"progress", to_json(status.progress)},
          {"last_sweep", optional_report(status.last_sweep)},
          {"last_full_sweep", optional_report(status.last_full_sweep)},
          {"other_managers", std::move(managers)},
          {"issues", std::move(issues)},
          {"problems", std::move(problems)},
          {"dirty", std::move(dirty)},
          {"missing", std::move(missing)},
          {"unmatched", texts(status.unmatched)},
          {"store", status.store},
          {"shared", sentence_of(status.shared)},
          {"fabric", found ? json::value(to_json(fabric::summarize(*view->fabric))) : json::value(nullptr)},
          {"routing", found ? routing_json(*view) : json::value(nullptr)},
          {"plan", found ? plan_json(*view) : json::value(nullptr)}};
}

json::object to_json(const Event& event, const plan::View* view) {
  return {{"id", event.id},
          {"time", time_text(event.time)},
          {"severity", name(event.severity)},
          {"kind", event.kind},
          {"node", guid_or_null(event.node)},
          {"name", name_of(event.node, view)},
          {"port", event.port ? json::value(raw(*event.port)) : json::value(nullptr)},
          {"text", event.text}};
}

plan::LidRange lids_of(const plan::View& view, PortRef port) {
  const auto ends = view.fabric->end_ports();
  const auto found = std::lower_bound(ends.begin(), ends.end(), port);
  if (found == ends.end() || *found != port) return {};
  const auto index = static_cast<std::size_t>(found - ends.begin());
  if (view.plan && index < view.plan->lids.of_end_port.size()) return view.plan->lids.of_end_port[index];
  return {view.fabric->port(port).lid, view.fabric->port(port).lmc};
}

json::object end_json(const Fabric& fabric, PortRef port) {
  const fabric::Node& node = fabric.node(port.node);
  return {{"guid", to_string(node.guid)},
          {"name", node.description},
          {"type", name(node.type)},
          {"port", raw(port.port)}};
}

json::object node_json(const plan::View& view, NodeId id) {
  const fabric::Node& node = view.fabric->node(id);
  const auto ports = view.fabric->ports(id);
  std::size_t linked = 0;
  std::size_t active = 0;
  json::array ends;
  for (std::size_t number = 0; number < ports.size(); ++number) {
    const fabric::Port& port = ports[number];
    if (number > 0 && port.peer) ++linked;
    if (number > 0 && port.peer && port.state == PortState::active) ++active;
    const plan::LidRange lids = lids_of(view, {id, static_cast<PortNum>(number)});
    if (lids.base == kLidNone) continue;
    ends.push_back(json::object{
        {"port", number}, {"guid", guid_or_null(port.guid)}, {"lid", raw(lids.base)}, {"lmc", lids.lmc}});
  }
  return {{"guid", to_string(node.guid)},
          {"name", node.description},
          {"type", name(node.type)},
          {"vendor", node.vendor},
          {"device", node.device},
          {"ports", node.port_count},
          {"linked", linked},
          {"active", active},
          {"end_ports", std::move(ends)},
          {"sm", view.sm_port.node == id}};
}

json::object link_json(const Fabric& fabric, PortRef port) {
  const fabric::Port& here = fabric.port(port);
  const PortState state = std::min(here.state, fabric.port(*here.peer).state);
  const std::vector<std::string> below = below_best(fabric, port);
  return {{"a", end_json(fabric, port)},
          {"b", end_json(fabric, *here.peer)},
          {"state", name(state)},
          {"width", name(here.width)},
          {"speed", name(here.speed)},
          {"mtu", bytes(here.neighbor_mtu)},
          {"vls", lanes(here.operational_vls)},
          {"below_best", !below.empty()},
          {"below", texts(below)}};
}

}  // namespace weft::daemon
