#include "daemon/metrics.h"

#include <algorithm>

#include "daemon/api_json.h"
#include "fabric/slow_link.h"
#include "fabric/summary.h"

namespace weft::daemon {

using fabric::PortRef;

namespace {

using Labels = std::vector<std::pair<std::string_view, std::string>>;

double in_seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }
double in_seconds(WallTime time) { return std::chrono::duration<double>(time.time_since_epoch()).count(); }

/// Backslash, quote and newline have escapes in label values.
std::string label_value(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

/// Writes one family after the other.
class Exposition {
 public:
  explicit Exposition(std::string& out) : out_(out) {}
  void family(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    out_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  }
  void sample(double value, const Labels& labels = {}, std::string_view suffix = {}) {
    out_ += fmt::format("{}{}", name_, suffix);
    char separator = '{';
    for (const auto& [key, text] : labels) {
      out_ += fmt::format("{}{}=\"{}\"", separator, key, label_value(text));
      separator = ',';
    }
    if (!labels.empty()) out_ += '}';
    out_ += fmt::format(" {}\n", value);
  }
  void gauge(std::string_view name, std::string_view help, double value) {
    family(name, "gauge", help);
    sample(value);
  }
  void counter(std::string_view name, std::string_view help, double value) {
    family(name, "counter", help);
    sample(value);
  }

 private:
  std::string& out_;
  std::string_view name_;
};

template <typename N>
double as_value(N value) {
  return static_cast<double>(value);
}

void daemon_metrics(Exposition& to, const Status& status) {
  to.family("weft_build_info", "gauge", "Version of the daemon; always 1.");
  to.sample(1, {{"version", status.version}});
  to.gauge("weft_start_time_seconds", "When the daemon started.", in_seconds(status.started));
  to.family("weft_state", "gauge", "1 for the state that the manager is in.");
  for (const State state : {State::waiting_for_device, State::discovering, State::standby, State::disabled,
                            State::master, State::failed, State::stopping})
    to.sample(state == status.state ? 1 : 0, {{"state", std::string(name(state))}});
  to.gauge("weft_generation", "Rises with every fabric that is published.", as_value(status.generation));
  to.gauge("weft_other_managers", "Other subnet managers that answer.",
           as_value(status.other_managers.size()));
  to.gauge("weft_problems", "Nodes, ports and settings with a problem.", as_value(status.problems.size()));
  to.gauge("weft_dirty_blocks", "Blocks that the last sweep could not write.", as_value(status.dirty.size()));
  to.gauge("weft_missing", "Nodes and links that were there before and are gone.",
           as_value(status.missing.size()));
  to.gauge("weft_store_ok", "1 while the state file can be written.", status.store == "ok" ? 1 : 0);
  if (status.shared.state == SharedStatus::State::none) return;
  const bool bad = status.shared.state == SharedStatus::State::not_replicated ||
                   status.shared.state == SharedStatus::State::unreachable;
  to.gauge("weft_shared_state_ok", "1 while etcd has, or can be asked for, what managers share.",
           bad ? 0 : 1);
}

void fabric_metrics(Exposition& to, const plan::View& view) {
  const fabric::Summary summary = fabric::summarize(*view.fabric);
  to.family("weft_nodes", "gauge", "Nodes of the fabric.");
  to.sample(as_value(summary.switches), {{"type", "switch"}});
  to.sample(as_value(summary.hosts), {{"type", "hca"}});
  to.sample(as_value(summary.routers), {{"type", "router"}});
  to.family("weft_links", "gauge", "Links by the lower state of their ends.");
  for (const PortState state : {PortState::active, PortState::armed, PortState::init, PortState::down})
    to.sample(as_value(summary.links_in(state)), {{"state", std::string(name(state))}});
  to.family("weft_links_by_rate", "gauge", "Links by width and speed.");
  for (const auto& [rate, count] : summary.links_by_rate)
    to.sample(as_value(count),
              {{"speed", std::string(name(rate.first))}, {"width", std::string(name(rate.second))}});
  std::size_t slow = 0;
  for (std::uint32_t n = 0; n < view.fabric->node_count(); ++n) {
    const auto ports = view.fabric->ports(static_cast<NodeId>(n));
    for (std::size_t p = 1; p < ports.size(); ++p) {
      const PortRef here{static_cast<NodeId>(n), static_cast<PortNum>(p)};
      if (ports[p].peer && here < *ports[p].peer && fabric::is_slow(*view.fabric, here)) ++slow;
    }
  }
  to.gauge("weft_links_below_best", "Links slower or narrower than both their ends can be.", as_value(slow));
  to.family("weft_ports", "gauge", "Ports that are known, by state.");
  for (const auto& [state, count] : summary.ports_by_state)
    to.sample(as_value(count), {{"state", std::string(name(state))}});
}

void routing_metrics(Exposition& to, const plan::Plan& plan, const Tallies& tallies) {
  const routing::ChainResult& chain = plan.routing;
  to.gauge("weft_lid_top", "Highest LID in use.", raw(plan.lids.top));
  to.gauge("weft_ports_without_lid", "Ports for which no LID was left.", as_value(plan.lids.without.size()));
  to.family("weft_routing_engine_info", "gauge", "Engine that the tables in use are of; always 1.");
  to.sample(1, {{"engine", chain.routes.engine}});
  to.family("weft_routing_engine_refused", "gauge", "Engines that were tried first and refused; always 1.");
  for (const routing::Refusal& one : chain.refusals) to.sample(1, {{"engine", one.engine}});
  to.family("weft_routing_fallback", "gauge",
            "1 while the tables are not those of the first engine wanted, by reason.");
  const std::string why = fallback_of(chain);
  for (const char* reason : {"refused", "beyond-named", "kept-last"})
    to.sample(why == reason ? 1 : 0, {{"reason", reason}});
  to.family("weft_routing_engine_changes_total", "counter",
            "Changes of the engine behind the tables, by reason.");
  for (const char* reason : {"refused", "beyond-named", "kept-last", "restored"}) {
    const auto found = tallies.engine_changes.find(reason);
    to.sample(found == tallies.engine_changes.end() ? 0 : as_value(found->second), {{"reason", reason}});
  }
  to.gauge("weft_routing_pairs", "Pairs of ports that the cables join.", as_value(chain.report.pairs));
  to.gauge("weft_routing_pairs_lost", "Of these, pairs that the tables do not serve.",
           as_value(chain.report.lost));
  to.gauge("weft_routing_vls_needed", "Data lanes that the tables need.", chain.routes.vls_needed);
}

void sweep_metrics(Exposition& to, const Tallies& tallies) {
  to.family("weft_sweeps_total", "counter", "Sweeps by kind and outcome.");
  for (const SweepKind kind : {SweepKind::full, SweepKind::light, SweepKind::local}) {
    const auto found = tallies.sweeps.find(kind);
    const Tallies::Sweeps counts = found == tallies.sweeps.end() ? Tallies::Sweeps{} : found->second;
    to.sample(as_value(counts.clean), {{"kind", std::string(name(kind))}, {"outcome", "clean"}});
    to.sample(as_value(counts.not_clean), {{"kind", std::string(name(kind))}, {"outcome", "not-clean"}});
  }
  to.family("weft_sweep_seconds_total", "counter", "Time that sweeps took, by kind.");
  for (const auto& [kind, counts] : tallies.sweeps)
    to.sample(in_seconds(counts.took), {{"kind", std::string(name(kind))}});
  to.family("weft_last_sweep_seconds", "gauge", "Time that the last sweep of a kind took.");
  for (const auto& [kind, counts] : tallies.sweeps)
    to.sample(in_seconds(counts.last_took), {{"kind", std::string(name(kind))}});
  to.gauge("weft_last_clean_sweep_time_seconds", "When the last sweep that ended clean did so; 0: never.",
           tallies.last_clean == WallTime{} ? 0 : in_seconds(tallies.last_clean));
  to.counter("weft_sweep_smps_total", "SMPs that sweeps sent, repeats included.", as_value(tallies.smps));
  to.counter("weft_sweep_sets_total", "Of these, Sets.", as_value(tallies.sets));
  to.counter("weft_sweep_timeouts_total", "SMPs of sweeps that were not answered in time.",
             as_value(tallies.timeouts));
  to.family("weft_events_total", "counter", "Events by kind and severity.");
  for (const auto& [event, count] : tallies.events)
    to.sample(as_value(count), {{"kind", event.first}, {"severity", std::string(name(event.second))}});
}

void smp_metrics(Exposition& to, const SmpTotals& smps) {
  to.counter("weft_smps_total", "SMPs sent, whatever for, repeats included.", as_value(smps.sent));
  to.counter("weft_smp_sets_total", "Of these, Sets.", as_value(smps.sets));
  to.counter("weft_smp_timeouts_total", "SMPs that were not answered in time.", as_value(smps.timeouts));
}

std::string attribute_text(std::uint16_t attribute) {
  return attribute == 0 ? "other" : fmt::format("0x{:04x}", attribute);
}

void sa_metrics(Exposition& to, const SaView& sa) {
  to.gauge("weft_sa_serving", "1 while subnet administration answers.", sa.index ? 1 : 0);
  const auto by_attribute = [&](std::string_view family, std::string_view help,
                                std::uint64_t SaAttributeCounts::* member) {
    to.family(family, "counter", help);
    for (const auto& [attribute, counts] : sa.counts.by_attribute)
      to.sample(as_value(counts.*member), {{"attribute", attribute_text(attribute)}});
  };
  by_attribute("weft_sa_requests_total", "Requests by attribute.", &SaAttributeCounts::requests);
  by_attribute("weft_sa_answers_total", "Answers by attribute.", &SaAttributeCounts::answered);
  by_attribute("weft_sa_refusals_total", "Of these, with another status than 0.",
               &SaAttributeCounts::refused);
  by_attribute("weft_sa_dropped_total", "Requests that found no room.", &SaAttributeCounts::dropped);
  to.family("weft_sa_answer_seconds", "histogram", "Time from a request to its answer.");
  Histogram took{};
  Duration in_all{};
  for (const auto& [attribute, counts] : sa.counts.by_attribute) {
    for (std::size_t i = 0; i < took.size(); ++i) took[i] += counts.took[i];
    in_all += counts.took_in_all;
  }
  std::uint64_t below = 0;
  for (std::size_t i = 0; i + 1 < took.size(); ++i) {
    below += took[i];
    if (i % 2 == 0)
      to.sample(as_value(below), {{"le", fmt::format("{:g}", as_value(std::uint64_t{1} << i) * 1e-6)}},
                "_bucket");
  }
  below += took.back();
  to.sample(as_value(below), {{"le", "+Inf"}}, "_bucket");
  to.sample(in_seconds(in_all), {}, "_sum");
  to.sample(as_value(below), {}, "_count");
  to.counter("weft_sa_duplicates_total", "Requests repeated while they waited.",
             as_value(sa.counts.duplicates));
  to.counter("weft_sa_over_quota_total", "Requests over the quota of their port.",
             as_value(sa.counts.over_quota));
  to.counter("weft_sa_reports_total", "Reports sent to subscribers.", as_value(sa.counts.reports));
  to.counter("weft_sa_reports_unconfirmed_total", "Reports that nobody confirmed.",
             as_value(sa.counts.unconfirmed));
  to.gauge("weft_sa_groups", "Multicast groups.", as_value(sa.state.groups.size()));
  to.gauge("weft_sa_services", "Service records.", as_value(sa.state.services.size()));
  to.gauge("weft_sa_subscriptions", "Subscriptions.", as_value(plan::subscription_count(sa.state)));
}

struct PmaColumn {
  std::string_view name;
  std::string_view help;
  std::uint64_t mad::PortCountersExtended::* member;
  int bytes;  ///< Of one unit; 1 for counts.
};

constexpr PmaColumn kPma[] = {
    {"weft_port_xmit_bytes_total", "Bytes sent.", &mad::PortCountersExtended::xmit_data, 4},
    {"weft_port_rcv_bytes_total", "Bytes received.", &mad::PortCountersExtended::rcv_data, 4},
    {"weft_port_xmit_packets_total", "Packets sent.", &mad::PortCountersExtended::xmit_packets, 1},
    {"weft_port_rcv_packets_total", "Packets received.", &mad::PortCountersExtended::rcv_packets, 1},
    {"weft_port_xmit_wait_ticks_total", "Ticks with data to send and no credit.",
     &mad::PortCountersExtended::xmit_wait, 1},
    {"weft_port_symbol_errors_total", "Symbol errors.", &mad::PortCountersExtended::symbol_errors, 1},
    {"weft_port_link_downed_total", "Times the link went down.", &mad::PortCountersExtended::link_downed, 1},
    {"weft_port_link_recoveries_total", "Times the link retrained.",
     &mad::PortCountersExtended::link_recoveries, 1},
    {"weft_port_rcv_errors_total", "Packets received with an error.", &mad::PortCountersExtended::rcv_errors,
     1},
    {"weft_port_xmit_discards_total", "Packets dropped instead of sent.",
     &mad::PortCountersExtended::xmit_discards, 1},
};

using Readings = std::map<plan::Place, PortReadings>;

/// Of all ports that are read, since counters are read at all.
void counter_totals(Exposition& to, const Readings& readings) {
  to.gauge("weft_counters_read_ports", "Ports whose counters were read.", as_value(readings.size()));
  for (const PmaColumn& column : kPma) {
    std::string name(column.name);
    name.replace(0, std::string_view("weft_port").size(), "weft_ports");
    double sum = 0;
    for (const auto& [place, reading] : readings)
      sum += as_value(reading.now.counted.*column.member) * column.bytes;
    to.counter(name, fmt::format("{} All ports read together.", column.help), sum);
  }
}

/// Series for each port, a family a step.
class PortSeries {
 public:
  explicit PortSeries(std::shared_ptr<const ApiSource> source) : source_(std::move(source)) {}

  bool next(std::string& out) {
    if (step_ == 0) {
      out += metrics_text(*source_);
    } else if (step_ == 1) {
      states(out);
    } else if (step_ - 2 < std::size(kPma)) {
      counters(out, kPma[step_ - 2]);
    } else {
      return false;
    }
    ++step_;
    return true;
  }

 private:
  void states(std::string& out) {
    const auto view = source_->view();
    Exposition to(out);
    to.family("weft_port_state", "gauge", "State of a linked port: 1 down, 2 init, 3 armed, 4 active.");
    if (!view || !view->fabric) return;
    for (std::uint32_t n = 0; n < view->fabric->node_count(); ++n) {
      const fabric::Node& node = view->fabric->node(static_cast<NodeId>(n));
      const auto ports = view->fabric->ports(static_cast<NodeId>(n));
      for (std::size_t p = 1; p < ports.size(); ++p)
        if (ports[p].peer)
          to.sample(
              static_cast<double>(ports[p].state),
              {{"guid", to_string(node.guid)}, {"name", node.description}, {"port", std::to_string(p)}});
    }
  }
  void counters(std::string& out, const PmaColumn& column) {
    if (!source_->readings) return;
    const auto view = source_->view();
    Exposition to(out);
    to.family(column.name, "counter", column.help);
    for (const auto& [place, reading] : source_->readings()) {
      const auto node = view && view->fabric ? view->fabric->find(place.node) : std::nullopt;
      to.sample(as_value(reading.now.counted.*column.member) * column.bytes,
                {{"guid", to_string(place.node)},
                 {"name", node ? view->fabric->node(*node).description : std::string()},
                 {"port", std::to_string(raw(place.port))}});
    }
  }

  std::shared_ptr<const ApiSource> source_;
  std::size_t step_ = 0;
};

Response metrics(const std::shared_ptr<const ApiSource>& source, const Request& request) {
  Response response;
  response.type = "text/plain; version=0.0.4; charset=utf-8";
  if (request.parameter("ports") != "1") {
    response.body = metrics_text(*source);
    return response;
  }
  const auto series = std::make_shared<PortSeries>(source);
  response.more = [series](std::string& out) { return series->next(out); };
  return response;
}

}  // namespace

std::string metrics_text(const ApiSource& source) {
  std::string out;
  Exposition to(out);
  static const Tallies kNothing;
  const Tallies& tallies = source.tallies ? source.tallies() : kNothing;
  daemon_metrics(to, source.status());
  sweep_metrics(to, tallies);
  if (source.smps) smp_metrics(to, source.smps());
  const auto view = source.view();
  if (view && view->fabric) fabric_metrics(to, *view);
  if (view && view->plan) routing_metrics(to, *view->plan, tallies);
  const auto sa = source.sa ? source.sa() : std::nullopt;
  if (sa) sa_metrics(to, *sa);
  if (source.upkeep) {
    to.family("weft_orders", "gauge", "Links and switches that are drained, disabled or held.");
    std::map<std::string, std::size_t> kinds{{"drained", 0}, {"disabled", 0}, {"held", 0}};
    for (const UpkeepRow& row : source.upkeep()) ++kinds[std::string(plan::name(row.order.kind))];
    for (const auto& [kind, count] : kinds) to.sample(as_value(count), {{"kind", kind}});
  }
  if (source.readings) counter_totals(to, source.readings());
  return out;
}

void add_metrics_routes(Router& router, std::shared_ptr<const ApiSource> source) {
  router.add({"GET", "/metrics", [source](const Request& request) { return metrics(source, request); }});
}

}  // namespace weft::daemon
