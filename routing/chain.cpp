#include "routing/chain.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "routing/recognise.h"

namespace weft::routing {
namespace {

constexpr std::string_view kLastResort = "up-down";

/// Each engine once, "auto" spelled out.
Result<std::vector<const Engine*>> engines_named(const std::vector<std::string>& names,
                                                 const Recognised& recognised) {
  std::vector<std::string_view> spelled;
  for (const std::string& name : names) {
    if (name == "auto")
      std::ranges::copy(engines_for(recognised.kind), std::back_inserter(spelled));
    else
      spelled.push_back(name);
  }
  std::vector<const Engine*> found;
  for (const std::string_view name : spelled) {
    const Engine* engine = find_engine(name);
    if (!engine) {
      std::vector<std::string_view> known{"auto"};
      for (const Engine& e : engines()) known.push_back(e.name);
      return fail(Errc::invalid, "no routing engine is called \"{}\"; there are {}", name,
                  fmt::join(known, ", "));
    }
    if (std::ranges::find(found, engine) == found.end()) found.push_back(engine);
  }
  return found;
}

/// Whether the engine's answer was taken into `result`; if not, it says there why.
bool try_engine(const Problem& problem, const Engine& engine, int vls, const CheckReport* of_previous,
                ChainResult& result) {
  Result<Routes> routes = engine.compute(problem);
  if (!routes) {
    result.refusals.push_back({std::string(engine.name), routes.error().what});
    return false;
  }
  if (routes->vls_needed > vls) {
    result.refusals.push_back(
        {std::string(engine.name), fmt::format("needs {} VLs, but {} can be used", routes->vls_needed, vls)});
    return false;
  }
  CheckReport report = of_previous && problem.previous
                           ? check_again(problem, *routes, *problem.previous, *of_previous)
                           : check(problem, *routes);
  if (!report.safe()) {
    result.refusals.push_back({std::string(engine.name), explain(*problem.fabric, report)});
    return false;
  }
  result.routes = std::move(*routes);
  result.report = std::move(report);
  return true;
}

bool try_keeping(const Problem& problem, ChainResult& result) {
  std::optional<Routes> kept = keep_last(problem);
  if (!kept) return false;
  result.good = problem.good ? problem.good : std::make_shared<const Routes>(*problem.previous);
  CheckReport report = check(problem, *kept);
  if (!report.free_of_deadlock() || !report.too_small.empty()) {
    result.refusals.push_back({"the tables in force", explain(*problem.fabric, report)});
    return false;
  }
  result.routes = std::move(*kept);
  result.report = std::move(report);
  result.kept_last = true;
  return true;
}

/// The same demand for the switches of another Fabric.
std::shared_ptr<const Lanes> aligned(const std::shared_ptr<const Lanes>& lanes, const Routes& of,
                                     const fabric::Fabric& fabric) {
  if (!lanes) return nullptr;
  auto now = std::make_shared<Lanes>(*lanes);
  now->port_class.assign(fabric.switch_count(), {});
  for (std::size_t s = 0; s < now->port_class.size(); ++s) {
    const auto at = std::ranges::lower_bound(of.switches, fabric.node(static_cast<SwitchId>(s)).guid);
    const auto index = static_cast<std::size_t>(at - of.switches.begin());
    if (at != of.switches.end() && *at == fabric.node(static_cast<SwitchId>(s)).guid &&
        index < lanes->port_class.size())
      now->port_class[s] = lanes->port_class[index];
  }
  return now;
}

}  // namespace

std::optional<Routes> keep_last(const Problem& problem) {
  if (!problem.previous) return std::nullopt;
  const Routes& last = problem.good ? *problem.good : *problem.previous;
  const fabric::Fabric& fabric = *problem.fabric;
  std::vector<bool> owned(row_size(problem.top));
  for (const Destination& d : problem.destinations)
    std::fill_n(owned.begin() + raw(d.base), std::size_t{1} << d.lmc, true);
  Tables tables(problem);
  for (std::size_t s = 0; s < fabric.switch_count(); ++s) {
    const std::span<const fabric::Port> ports = fabric.ports(static_cast<SwitchId>(s));
    const std::shared_ptr<const Lft> before = row_of(last, fabric.node(static_cast<SwitchId>(s)).guid);
    if (!before) continue;
    std::uint8_t* row = tables.row(s);
    for (std::size_t lid = 0; lid < std::min(before->size(), owned.size()); ++lid) {
      const std::uint8_t port = (*before)[lid];
      const bool leads = port == 0 || (port < ports.size() && ports[port].peer);
      if (owned[lid] && leads) row[lid] = port;
    }
  }
  Routes routes = std::move(tables).finish(last.engine);
  routes.vls_needed = last.vls_needed;
  routes.lanes = aligned(last.lanes, last, fabric);
  routes.layers = last.layers;
  routes.notes.push_back("the tables in force are kept as far as they lead");
  return routes;
}

Result<ChainResult> route(const Problem& problem, const ChainOptions& options,
                          const CheckReport* of_previous) {
  Recognised recognised;
  if (std::ranges::find(options.engines, "auto") != options.engines.end()) recognised = recognise(problem);
  Result<std::vector<const Engine*>> named = engines_named(options.engines, recognised);
  if (!named) return fail(std::move(named.error()));
  ChainResult result;
  result.recognised = recognised.evidence;
  Problem layered = problem;
  layered.max_layers = options.layers;
  layered.tree = recognised.tree.get();
  for (const Engine* engine : *named)
    if (try_engine(layered, *engine, options.vls, of_previous, result)) return result;
  if (options.on_failure == OnFailure::keep_last && try_keeping(problem, result)) return result;
  const Engine* last = find_engine(kLastResort);
  if (std::ranges::find(*named, last) == named->end() &&
      try_engine(problem, *last, options.vls, of_previous, result)) {
    result.beyond_named = true;
    return result;
  }
  std::vector<std::string> reasons;
  for (const Refusal& r : result.refusals) reasons.push_back(fmt::format("{}: {}", r.engine, r.reason));
  return fail(Errc::unsafe, "no routing engine has safe tables for this fabric. {}",
              fmt::join(reasons, ". "));
}

}  // namespace weft::routing
