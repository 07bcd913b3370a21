#include "ctl/plan.h"

#include <charconv>
#include <iostream>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <boost/json.hpp>

#include "base/words.h"
#include "config/read.h"
#include "ctl/plan_dump.h"
#include "fabric/builder.h"
#include "plan/plan.h"
#include "routing/engine.h"
#include "routing/quality.h"
#include "topology/holes.h"
#include "topology/load.h"

namespace weft::ctl {
namespace {

namespace json = boost::json;

/// Every way between two hosts begins and ends with one of theirs; routing counts those between switches.
constexpr int kHostLinks = 2;

std::string engine_names() {
  std::string names;
  for (const routing::Engine& engine : routing::engines())
    names += (names.empty() ? "" : ", ") + std::string(engine.name);
  return names;
}

/// Tables of one engine, and how good they are.
struct Candidate {
  std::string engine;
  std::string fault;  ///< Why they may not be used; empty when they may.
  double plan_ms = 0;
  routing::Quality quality;
};

/// The most VLs that can be told of a port, up to `vls`.
VlCount vl_count(int vls) {
  for (const VlCount count : {VlCount::vl8, VlCount::vl4, VlCount::vl2})
    if (lanes(count) <= vls) return count;
  return VlCount::vl1;
}

Result<fabric::Fabric> fabric_of(const topology::Topology& topology, int vls) {
  fabric::Builder builder;
  for (const topology::Node& n : topology.nodes) {
    fabric::Node node;
    node.guid = n.guid;
    node.system_guid = n.system_guid;
    node.type = n.type;
    node.port_count = n.port_count;
    node.vendor = n.vendor;
    node.device = n.device;
    node.description = n.description.empty() ? n.id : n.description;
    node.switch_facts = {0xbfff, 0x1000, n.enhanced_port0};
    if (Result<void> added = builder.add_node(node); !added) return fail(added.error());
    const bool is_switch = n.type == NodeType::switch_;
    for (std::size_t p = is_switch ? 0 : 1; p <= n.port_count; ++p) {
      const std::size_t guid = is_switch ? p : p - 1;
      fabric::Port port;
      if (guid < n.port_guids.size()) port.guid = n.port_guids[guid];
      if (is_switch && p == 0 && raw(port.guid) == 0) port.guid = n.guid;
      port.state = PortState::active;
      port.phys = PhysState::link_up;
      port.known = true;
      port.vl_cap = port.operational_vls = vl_count(vls);
      port.mtu_cap = port.neighbor_mtu = Mtu::mtu4096;
      if (Result<void> set = builder.set_port(n.guid, static_cast<PortNum>(p), port); !set)
        return fail(set.error());
    }
  }
  for (const topology::Cable& c : topology.cables) {
    const auto end = [&topology](topology::End e) {
      return fabric::Builder::End{topology.nodes[e.node].guid, e.port};
    };
    if (Result<void> joined = builder.connect(end(c.a), end(c.b)); !joined) return fail(joined.error());
  }
  return builder.build();
}

Result<topology::Amount> amount_from(std::string_view text) {
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0)
    return fail(Errc::invalid, "\"{}\" is no number of links, and no share like 1%", text);
  if (percent) return topology::Amount{0, number};
  return topology::Amount{static_cast<std::uint32_t>(number), 0};
}

/// What is left of it after the failures asked for.
Result<topology::Topology> damaged(topology::Topology whole, const PlanOptions& options) {
  if (options.fail.empty()) return whole;
  const Result<topology::Amount> links = amount_from(options.fail);
  if (!links) return fail(links.error());
  return topology::with_holes(std::move(whole),
                              {.links = *links, .seed = options.seed, .keep_connected = true});
}

/// The first end port of a host, where a manager would be.
std::optional<fabric::PortRef> manager_port(const fabric::Fabric& fabric) {
  for (const fabric::PortRef& port : fabric.end_ports())
    if (!fabric.is_switch(port.node)) return port;
  if (fabric.end_ports().empty()) return std::nullopt;
  return fabric.end_ports().front();
}

double since_ms(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

routing::Quality quality_of(const routing::Problem& problem, const routing::Routes& routes,
                            const PlanOptions& options) {
  routing::QualityOptions wanted;
  wanted.seed = static_cast<std::uint32_t>(options.seed);
  for (std::uint32_t i = 0; i < options.job; ++i) wanted.job.push_back(i);
  const Result<routing::PortSets> sets = routing::port_sets(problem, routes);
  return routing::measure(problem, routes, sets ? &*sets : nullptr, wanted);
}

Candidate other_engine(routing::Problem problem, const std::string& name, const PlanOptions& options) {
  Candidate candidate{name, {}, 0, {}};
  const routing::Engine* engine = routing::find_engine(name);  // plan_offline has looked
  problem.previous = nullptr;
  problem.max_layers = options.vls;
  const auto start = std::chrono::steady_clock::now();
  const Result<routing::Routes> routes = engine->compute(problem);
  candidate.plan_ms = since_ms(start);
  if (!routes) {
    candidate.fault = routes.error().what;
    return candidate;
  }
  candidate.fault = routing::explain(*problem.fabric, routing::check(problem, *routes));
  candidate.quality = quality_of(problem, *routes, options);
  return candidate;
}

json::object to_json(const routing::Collectives& c) {
  return {{"allreduce_ring_s", c.ring}, {"allreduce_doubling_s", c.doubling}, {"alltoall_s", c.all_to_all}};
}
/// What was not measured is not told.
json::object to_json(const Candidate& c) {
  const routing::Quality& q = c.quality;
  if (q.hosts == 0) return {{"engine", c.engine}, {"fault", c.fault}, {"compute_ms", c.plan_ms}};
  return {{"engine", c.engine},
          {"fault", c.fault},
          {"compute_ms", c.plan_ms},
          {"hosts", q.hosts},
          {"unreached_pairs", q.unreached},
          {"shift_worst", q.shift_worst},
          {"shift_mean", q.shift_mean},
          {"permutation_median", q.permutation},
          {"all_to_all_risk", q.all_to_all_risk},
          {"forwarding_index", q.forwarding_index},
          {"forwarding_mean", q.forwarding_mean},
          {"bisection", q.bisection},
          {"longest", q.longest + kHostLinks},
          {"length_mean", q.length_mean + kHostLinks},
          {"alone", to_json(q.alone)},
          {"by_tables", to_json(q.by_tables)},
          {"adaptive", to_json(q.adaptive)}};
}

std::string milliseconds(double seconds) { return seconds == 0 ? "-" : fmt::format("{:.1f}", seconds * 1e3); }

void print_report(std::ostream& out, const std::vector<Candidate>& candidates) {
  using Row = std::pair<std::string_view, std::string (*)(const routing::Quality&)>;
  static const std::array<Row, 14> rows{{
      {"shift, most flows on a link: worst",
       [](const routing::Quality& q) { return fmt::format("{}", q.shift_worst); }},
      {"shift, mean", [](const routing::Quality& q) { return fmt::format("{:.2f}", q.shift_mean); }},
      {"random permutation, median",
       [](const routing::Quality& q) { return fmt::format("{}", q.permutation); }},
      {"all-to-all risk", [](const routing::Quality& q) { return fmt::format("{}", q.all_to_all_risk); }},
      {"edge forwarding index, most",
       [](const routing::Quality& q) { return fmt::format("{}", q.forwarding_index); }},
      {"edge forwarding index, mean",
       [](const routing::Quality& q) { return fmt::format("{:.0f}", q.forwarding_mean); }},
      {"effective bisection", [](const routing::Quality& q) { return fmt::format("{:.3f}", q.bisection); }},
      {"longest way, links",
       [](const routing::Quality& q) { return fmt::format("{}", q.longest + kHostLinks); }},
      {"mean way, links",
       [](const routing::Quality& q) { return fmt::format("{:.2f}", q.length_mean + kHostLinks); }},
      {"pairs of hosts not joined", [](const routing::Quality& q) { return fmt::format("{}", q.unreached); }},
      {"AllReduce ring, ms", [](const routing::Quality& q) { return milliseconds(q.by_tables.ring); }},
      {"AllReduce doubling, ms",
       [](const routing::Quality& q) { return milliseconds(q.by_tables.doubling); }},
      {"AllToAll, ms", [](const routing::Quality& q) { return milliseconds(q.by_tables.all_to_all); }},
      {"AllToAll adaptive, ms",
       [](const routing::Quality& q) { return milliseconds(q.adaptive.all_to_all); }},
  }};
  fmt::print(out, "{:<36}", "");
  for (const Candidate& c : candidates) fmt::print(out, "{:>14}", c.engine);
  fmt::print(out, "{:>14}\n", "no contention");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    fmt::print(out, "{:<36}", rows[i].first);
    for (const Candidate& c : candidates)
      fmt::print(out, "{:>14}", c.quality.hosts == 0 ? "-" : rows[i].second(c.quality));
    const routing::Collectives& alone = candidates.front().quality.alone;
    const double bound = i == 10 ? alone.ring : i == 11 ? alone.doubling : i >= 12 ? alone.all_to_all : 0;
    fmt::print(out, "{:>14}\n", i >= 10 ? milliseconds(bound) : "");
  }
  for (const Candidate& c : candidates)
    if (!c.fault.empty()) fmt::print(out, "{} may not be used: {}\n", c.engine, c.fault);
}

}  // namespace

Exit plan_offline(const Output& output, const PlanOptions& options) {
  const auto refuse = [&output](Exit code, const std::string& what) {
    fmt::print(output.err, "weftctl: {}\n", what);
    return code;
  };
  for (const std::string& name : options.compare)
    if (routing::find_engine(name) == nullptr)
      return refuse(Exit::usage,
                    fmt::format("there is no routing engine \"{}\"; there are: {}", name, engine_names()));
  const Result<topology::Topology> whole = topology::load(options.fabric);
  if (!whole) return refuse(Exit::usage, whole.error().what);
  const Result<topology::Topology> topology = damaged(*whole, options);
  if (!topology) return refuse(Exit::usage, topology.error().what);
  Result<fabric::Fabric> fabric = fabric_of(*topology, options.vls);
  if (!fabric) return refuse(Exit::usage, fabric.error().what);
  Result<config::Loaded> loaded =
      options.config.empty() ? config::read_text("", "defaults") : config::read_file(options.config);
  if (!loaded) return refuse(Exit::usage, loaded.error().what);
  plan::Config config = loaded->settings.plan;
  if (!options.engine.empty()) config.routing.chain.engines = {options.engine};
  config.routing.chain.vls = options.vls;
  if (options.config.empty()) config.routing.chain.layers = options.vls;
  // The manager has seen the fabric whole before.
  const Result<fabric::Fabric> before = fabric_of(*whole, options.vls);
  plan::Ledger ledger;
  if (before) ledger.design = std::make_shared<const routing::Design>(routing::learn({}, *before));
  const std::optional<fabric::PortRef> manager = manager_port(*fabric);
  if (!manager) return refuse(Exit::usage, "there is nothing in this fabric to plan for");

  const auto start = std::chrono::steady_clock::now();
  const Result<plan::Planned> planned = plan::make_plan(*fabric, config, ledger, *manager, nullptr);
  if (!planned) return refuse(Exit::failed, planned.error().what);
  const plan::Plan& plan = *planned->plan;
  std::vector<std::string> dumped;
  if (!options.dump.empty()) {
    plan::View view;
    view.fabric = std::shared_ptr<const fabric::Fabric>(std::shared_ptr<void>(), &*fabric);  // it stays here
    view.plan = planned->plan;
    view.ledger = planned->ledger;
    view.sm_port = *manager;
    Result<std::vector<std::string>> written = write_dump(view, options.dump);
    if (!written) return refuse(Exit::failed, written.error().what);
    dumped = std::move(*written);
  }
  std::vector<Candidate> candidates{{plan.routes().engine, {}, since_ms(start), {}}};
  routing::Problem problem = plan.problem;
  problem.fabric = &*fabric;
  problem.design = ledger.design.get();
  problem.threads = std::max(1U, std::thread::hardware_concurrency());
  if (options.report || !options.compare.empty())
    candidates[0].quality = quality_of(problem, plan.routes(), options);
  for (const std::string& name : options.compare) candidates.push_back(other_engine(problem, name, options));

  if (output.json) {
    json::array notes;
    for (const std::string& note : plan.routes().notes) notes.emplace_back(note);
    json::array refusals;
    for (const routing::Refusal& r : plan.routing.refusals)
      refusals.push_back(json::object{{"engine", r.engine}, {"reason", r.reason}});
    json::array measured;
    for (const Candidate& c : candidates) measured.push_back(to_json(c));
    const json::object all{
        {"fabric", topology->name},
        {"switches", fabric->switch_count()},
        {"hosts", fabric->host_count()},
        {"engine", plan.routes().engine},
        {"recognised", plan.routing.recognised},
        {"vls_needed", plan.routes().vls_needed},
        {"any_sl", plan.routing.report.any_sl},
        {"longest", plan.routing.report.longest + (fabric->host_count() > 1 ? kHostLinks : 0)},
        {"notes", notes},
        {"refusals", refusals},
        {"dumped", json::array(dumped.begin(), dumped.end())},
        {"tables", measured}};
    fmt::print(output.out, "{}\n", json::serialize(all));
    return Exit::done;
  }
  fmt::print(output.out, "{}: {}, {}\n", topology->name, counted(fabric->switch_count(), "switch"),
             counted(fabric->host_count(), "host"));
  if (!plan.routing.recognised.empty()) fmt::print(output.out, "recognised: {}\n", plan.routing.recognised);
  for (const routing::Refusal& r : plan.routing.refusals)
    fmt::print(output.out, "not {}: {}\n", r.engine, r.reason);
  fmt::print(output.out, "tables of {}, planned in {:.0f} ms; {} needed, {}\n", plan.routes().engine,
             candidates[0].plan_ms, counted(static_cast<std::uint64_t>(plan.routes().vls_needed), "VL"),
             plan.routing.report.any_sl ? "safe on any SL" : "safe only on the SLs of path records");
  for (const std::string& path : dumped) fmt::print(output.out, "{}\n", path);
  if (options.report || !options.compare.empty()) print_report(output.out, candidates);
  return Exit::done;
}

}  // namespace weft::ctl
