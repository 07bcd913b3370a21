#include "daemon/api_explain.h"

#include <algorithm>
#include <charconv>

#include "base/units.h"
#include "base/words.h"
#include "daemon/api_answers.h"
#include "daemon/api_events.h"
#include "daemon/api_json.h"
#include "daemon/changes.h"
#include "daemon/explain_port.h"
#include "fabric/slow_link.h"
#include "partitions/pkey.h"
#include "partitions/tables.h"
#include "plan/find.h"

namespace weft::daemon {

namespace json = boost::json;
using fabric::PortRef;

namespace {

using Source = std::shared_ptr<const ApiSource>;
using Sentences = std::vector<std::string>;

json::object told(const Sentences& sentences) {
  return {{"sentences", json::array(sentences.begin(), sentences.end())}};
}

// --- ports

Response explain_port_request(const ApiSource& source, const plan::View& view, const Request& request) {
  const auto text = request.parameter("port");
  if (!text) return refusal(Error{Errc::invalid, "?port=NODE/PORT is missing"});
  const auto port = plan::find_port(view, *text);
  if (!port) return place_refusal(port.error());
  PortStory story;
  story.view = &view;
  story.port = *port;
  story.whole = source.whole ? source.whole() : nullptr;
  if (source.upkeep) story.orders = source.upkeep();
  story.status = source.status();
  EventQuery query;
  query.limit = 5;
  const fabric::Node& node = view.fabric->node(port->node);
  query.place = PlaceNamed{node.guid, node.description, port->port};
  story.events = source.events(query);
  json::object answer = told(explain_port(story));
  answer["port"] = port_json(view, *port);
  json::array events;
  for (const Event& event : story.events) events.push_back(to_json(event, &view));
  answer["events"] = std::move(events);
  return json_response(answer);
}

// --- LIDs

Sentences about_unicast_lid(const plan::View& view, Lid lid, json::object& answer) {
  Sentences lines;
  const auto port = plan::end_port_of(view, lid);
  if (!port) {
    lines.push_back(
        fmt::format("Nobody has LID {}; the highest one in use is {}.", raw(lid), raw(view.plan->lids.top)));
    for (const auto& [guid, range] : *view.plan->lids.map)
      if (raw(lid) >= raw(range.base) && raw(lid) < raw(range.base) + range.size())
        lines.push_back(fmt::format("It is kept for port {}, which is not there now.", to_string(guid)));
    return lines;
  }
  const fabric::Fabric& fabric = *view.fabric;
  const plan::LidRange range = lids_of(view, *port);
  answer["port"] = port_json(view, *port);
  lines.push_back(fmt::format("LID {} is that of {}.", raw(lid), fabric::describe(fabric, *port)));
  if (range.size() > 1)
    lines.push_back(
        fmt::format("It is one of {}, from {} on (LMC {}).", range.size(), raw(range.base), range.lmc));
  const auto& peer = fabric.port(*port).peer;
  if (peer && fabric.is_switch(peer->node) && !fabric.is_switch(port->node))
    lines.push_back(fmt::format("{} delivers it.", fabric::describe(fabric, *peer)));
  if (fabric.port(*port).lid != range.base)
    lines.push_back(fmt::format("The port itself still has LID {}: it is about to be told.",
                                raw(fabric.port(*port).lid)));
  return lines;
}

Sentences about_multicast_lid(const ApiSource& source, Lid lid) {
  Sentences lines;
  const auto sa = source.sa ? source.sa() : std::nullopt;
  if (sa)
    sa->state.groups.each([&](const plan::McGroup& group) {
      if (group.mlid == lid)
        lines.push_back(fmt::format("0x{:04x} is the multicast LID of group {}, which has {}.", raw(lid),
                                    to_string(group.mgid), counted(group.members.size(), "member")));
    });
  if (lines.empty()) lines.push_back(fmt::format("No multicast group has 0x{:04x}.", raw(lid)));
  return lines;
}

Response explain_lid(const ApiSource& source, const plan::View& view, const Request& request) {
  const auto number = number_from(request.parameter("lid").value_or(""));
  if (!number || *number > 0xffff) return refusal(Error{Errc::invalid, "lid must be a number up to 65535"});
  const auto lid = static_cast<Lid>(*number);
  json::object answer{{"lid", *number}, {"port", nullptr}};
  Sentences lines;
  if (*number == 0)
    lines.emplace_back("LID 0 is nobody's: it stands for \"none\".");
  else if (*number == 0xffff)
    lines.emplace_back("LID 65535 is nobody's: it is the permissive one, for packets by directed route.");
  else if (lid > kLidLastUnicast)
    lines = about_multicast_lid(source, lid);
  else
    lines = about_unicast_lid(view, lid, answer);
  answer["sentences"] = json::array(lines.begin(), lines.end());
  return json_response(answer);
}

// --- paths

std::string switches_between(const fabric::Fabric& fabric, const std::vector<plan::Hop>& hops) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i < hops.size(); ++i) names.push_back(fabric.node(hops[i].out.node).description);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return text;
}

Sentences about_way(const plan::View& view, const std::vector<plan::Hop>& hops) {
  const fabric::Fabric& fabric = *view.fabric;
  Sentences lines;
  if (hops.empty()) return {"It is the same port."};
  const std::string by = switches_between(fabric, hops);
  lines.push_back(fmt::format("There is a way, over {}{}.", counted(hops.size(), "link"),
                              by.empty() ? std::string() : ": by " + by));
  for (const plan::Hop& hop : hops) {
    const fabric::Port& port = fabric.port(hop.out);
    const PortState state = std::min(port.state, fabric.port(hop.in).state);
    const std::string link =
        fmt::format("{} to {}", fabric::describe(fabric, hop.out), fabric::describe(fabric, hop.in));
    if (state != PortState::active)
      lines.push_back(fmt::format("But {} is {}: nothing passes there yet.", link, name(state)));
    for (const std::string& below : fabric::below_best(fabric, hop.out))
      lines.push_back(fmt::format("{} is slower than it could be: {}.", link, below));
  }
  return lines;
}

Response explain_path(const ApiSource&, const plan::View& view, const Request& request) {
  const auto from = plan::find_end_port(view, request.parameter("from").value_or(""));
  if (!from) return place_refusal(from.error());
  const auto to = plan::find_end_port(view, request.parameter("to").value_or(""));
  if (!to) return place_refusal(to.error());
  const auto hops = plan::path(view, *from, lids_of(view, *to).base);
  Sentences lines;
  if (hops)
    lines = about_way(view, *hops);
  else
    lines = {fmt::format("There is no way: {}.", hops.error().what)};
  json::object answer = told(lines);
  answer["reached"] = hops.has_value();
  answer["from"] = end_json(*view.fabric, *from);
  answer["to"] = end_json(*view.fabric, *to);
  json::array way;
  if (hops)
    for (const plan::Hop& hop : *hops)
      way.push_back(
          json::object{{"out", end_json(*view.fabric, hop.out)}, {"in", end_json(*view.fabric, hop.in)}});
  answer["hops"] = std::move(way);
  return json_response(answer);
}

// --- partitions

std::string partition_called(const plan::View& view, Pkey key) {
  for (const partitions::Resolved& one : view.plan->partitions.partitions)
    if (one.key == partitions::partition_of(key)) return fmt::format("{} (0x{:04x})", one.name, one.key);
  return fmt::format("0x{:04x}", partitions::partition_of(key));
}

std::string as_member(Pkey key) { return partitions::is_full(key) ? "a full" : "a limited"; }

Response explain_partition(const ApiSource&, const plan::View& view, const Request& request) {
  const auto a = plan::find_end_port(view, request.parameter("a").value_or(""));
  if (!a) return place_refusal(a.error());
  const auto b = plan::find_end_port(view, request.parameter("b").value_or(""));
  if (!b) return place_refusal(b.error());
  const fabric::Fabric& fabric = *view.fabric;
  const auto keys_of = [&](PortRef port) {
    return view.plan->partitions.tables.of(fabric.node(port.node).first_port + raw(port.port));
  };
  const std::string first = fabric.node(a->node).description;
  const std::string second = fabric.node(b->node).description;
  Sentences lines;
  json::array common;
  bool may = false;
  for (const Pkey key : keys_of(*a)) {
    if (!partitions::is_valid(key)) continue;
    for (const Pkey other : keys_of(*b)) {
      if (partitions::partition_of(key) != partitions::partition_of(other)) continue;
      const bool talk = partitions::may_talk(key, other);
      may = may || talk;
      common.push_back(json::object{{"partition", partition_called(view, key)},
                                    {"a_full", partitions::is_full(key)},
                                    {"b_full", partitions::is_full(other)},
                                    {"may_talk", talk}});
      lines.push_back(fmt::format(
          "In {} {} is {} member and {} {} one: they {}.", partition_called(view, key), first, as_member(key),
          second, as_member(other), talk ? "may talk" : "may not talk, since neither is a full member"));
    }
  }
  if (common.empty()) lines.push_back(fmt::format("{} and {} share no partition.", first, second));
  lines.insert(lines.begin(), fmt::format("{} and {} {} talk.", first, second, may ? "may" : "may not"));
  if (!view.plan->partitions.active)
    lines.emplace_back("No partitions are configured, so every port is a full member of the default one.");
  if (view.plan->partitions.refused)
    lines.emplace_back("The configured partitions are not in force; weftctl status says why.");
  json::object answer = told(lines);
  answer["may_talk"] = may;
  answer["common"] = std::move(common);
  return json_response(answer);
}

// --- routing engines

Response explain_engine(const ApiSource& source, const plan::View& view, const Request&) {
  const routing::ChainResult& chain = view.plan->routing;
  Sentences lines{fmt::format("The tables are those of the engine {}.", chain.routes.engine)};
  const std::vector<std::string>& wanted = source.config()->settings.plan.routing.chain.engines;
  std::string names;
  for (const std::string& one : wanted) names += (names.empty() ? "" : ", ") + one;
  lines.push_back(fmt::format("The configuration asks for {} (routing.engine).", names));
  if (!chain.recognised.empty())
    lines.push_back(fmt::format("The fabric was taken for {}.", chain.recognised));
  for (const routing::Refusal& one : chain.refusals)
    lines.push_back(fmt::format("Not {}: {}.", one.engine, one.reason));
  if (chain.refusals.empty()) lines.emplace_back("No engine that was tried before it was refused.");
  if (chain.beyond_named)
    lines.emplace_back("It is none of those that the configuration names: none of them gave safe tables.");
  if (chain.kept_last)
    lines.push_back(fmt::format("No engine gave safe tables: those in force stay, and {} are lost.",
                                counted(chain.report.lost, "pair")));
  lines.push_back(fmt::format("They need {} and reach {} of {} pairs; nothing loops, nothing can deadlock.",
                              counted(static_cast<std::uint64_t>(chain.routes.vls_needed), "data VL"),
                              chain.report.pairs - chain.report.lost, chain.report.pairs));
  if (!chain.report.any_sl)
    lines.emplace_back("That holds as long as clients use the SL of their path records.");
  json::object answer = told(lines);
  json::array refusals;
  for (const routing::Refusal& one : chain.refusals)
    refusals.push_back(json::object{{"engine", one.engine}, {"reason", one.reason}});
  answer["engine"] = chain.routes.engine;
  answer["asked_for"] = json::array(wanted.begin(), wanted.end());
  answer["recognised"] = chain.recognised;
  answer["refusals"] = std::move(refusals);
  answer["notes"] = json::array(chain.routes.notes.begin(), chain.routes.notes.end());
  return json_response(answer);
}

// --- sweeps

/// "0.4 ms", "27 ms", "3.2 s"
std::string ms_text(Duration took) {
  const double ms = std::chrono::duration<double, std::milli>(took).count();
  if (ms >= 1000) return fmt::format("{:.1f} s", ms / 1000);
  return ms < 10 ? fmt::format("{:.1f} ms", ms) : fmt::format("{:.0f} ms", ms);
}

Sentences about_sweep(const SweepReport& report) {
  Sentences lines{
      fmt::format("Sweep #{} was a {} one. Its cause: {}.", report.number, name(report.kind), report.cause)};
  lines.push_back(
      fmt::format("It began at {} and took {}.", time_text(report.started), ms_text(report.took)));
  lines.push_back(fmt::format(
      "It sent {}, {} of them; {}.", counted(report.smps, "SMP"), counted(report.sets, "Set"),
      report.timeouts == 0 ? "all were answered" : counted(report.timeouts, "time-out") + " came of it"));
  const auto longest = std::ranges::max_element(report.phases, {}, &PhaseReport::took);
  if (longest != report.phases.end())
    lines.push_back(fmt::format("Most of the time went into {}: {}.", longest->name, ms_text(longest->took)));
  if (!report.error.empty())
    lines.push_back(fmt::format("It ended early: {}.", report.error));
  else if (report.clean)
    lines.emplace_back(report.sets == 0 ? "Everything was as planned already."
                                        : "Then everything was as planned.");
  else
    lines.push_back(
        fmt::format("It left {} unwritten, which are tried again.", counted(report.failed, "block")));
  for (const std::string& note : report.notes) lines.push_back(note);
  return lines;
}

void with_sweep(const Source& source, const SweepReport& report, const std::function<void(Response)>& done) {
  EventQuery query;
  query.since = report.started;
  query.until = report.started + std::chrono::duration_cast<WallTime::duration>(report.took);
  query.limit = 50;
  find_events(*source, query, [source, report, done](const Result<std::vector<Event>>& found) {
    json::object answer = told(about_sweep(report));
    answer["sweep"] = to_json(report);
    json::array events;
    const auto view = source->view();
    if (found)
      for (const Event& event : *found) events.push_back(to_json(event, view.get()));
    answer["events"] = std::move(events);
    done(json_response(answer));
  });
}

Response explain_sweep(const Source& source, const Request& request) {
  std::optional<std::uint64_t> wanted;
  if (request.parameter("number")) {
    const auto number = number_parameter(request, "number", 0, INT64_MAX);
    if (!number) return refusal(number.error());
    wanted = *number;
  }
  const std::vector<SweepReport> recent = source->sweeps();
  const auto known = std::ranges::find_if(recent.rbegin(), recent.rend(), [&](const SweepReport& one) {
    return !wanted || one.number == *wanted;
  });
  Response response;
  if (known != recent.rend()) {
    response.later = [source, report = *known](const std::function<void(Response)>& done) {
      with_sweep(source, report, done);
    };
    return response;
  }
  SweepQuery query;
  query.number = wanted;
  query.limit = 1;
  response.later = [source, query](const std::function<void(Response)>& done) {
    source->past_sweeps(query, [source, done](const Result<std::vector<SweepReport>>& found) {
      if (!found) return done(refusal(found.error()));
      if (found->empty())
        return done(refusal(Error{Errc::not_found, "no such sweep is kept"},
                            "weftctl sweeps --since 1d lists those that are"));
      with_sweep(source, found->back(), done);
    });
  };
  return response;
}

// --- changes

Response changes_response(WallTime since, WallTime until, const std::vector<Event>& events, bool cut) {
  json::array list;
  for (const Change& one : changes_of(events))
    list.push_back(json::object{{"group", one.group},
                                {"text", one.text},
                                {"severity", name(one.severity)},
                                {"times", one.times},
                                {"first", time_text(one.first)},
                                {"last", time_text(one.last)}});
  return json_response(json::object{{"since", time_text(since)},
                                    {"until", time_text(until)},
                                    {"events", events.size()},
                                    {"cut", cut},
                                    {"changes", std::move(list)}});
}

Response changes(const Source& source, const Request& request) {
  const auto since = time_parameter(request, "since");
  if (!since) return refusal(since.error());
  const auto until = time_parameter(request, "until");
  if (!until) return refusal(until.error());
  const WallTime now = std::chrono::system_clock::now();
  EventQuery query;
  query.since = since->value_or(now - std::chrono::hours(24));
  query.until = until->value_or(now);
  query.limit = kMostItems;
  Response response;
  response.later = [source, query](const std::function<void(Response)>& done) {
    find_events(*source, query, [query, done](const Result<std::vector<Event>>& found) {
      done(found ? changes_response(*query.since, *query.until, *found, found->size() == query.limit)
                 : refusal(found.error()));
    });
  };
  return response;
}

}  // namespace

void add_explain_routes(Router& router, std::shared_ptr<const ApiSource> source) {
  using Explain = Response (*)(const ApiSource&, const plan::View&, const Request&);
  const auto explain = [&](std::string what, Explain answer) {
    router.add({"GET", "/v1/explain/" + what, [source, answer](const Request& request) {
                  const auto view = source->view();
                  if (!view || !view->fabric || !view->plan) return no_view(source->status());
                  return answer(*source, *view, request);
                }});
  };
  explain("port", explain_port_request);
  explain("lid", explain_lid);
  explain("path", explain_path);
  explain("partition", explain_partition);
  explain("engine", explain_engine);
  router.add({"GET", "/v1/explain/sweep",
              [source](const Request& request) { return explain_sweep(source, request); }});
  router.add({"GET", "/v1/changes", [source](const Request& request) { return changes(source, request); }});
}

}  // namespace weft::daemon
