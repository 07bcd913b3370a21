#include "ctl/text.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "ctl/json_read.h"

namespace weft::ctl {

namespace json = boost::json;

namespace {

std::string or_dash(std::string text) { return text.empty() ? "-" : text; }

std::string milliseconds(const json::value& value, std::string_view path) {
  return human_duration(std::chrono::duration<double, std::milli>(real(value, path)));
}

/// Seconds since 1970 of "2026-01-02T03:04:05.678Z"; 0 for anything else.
double seconds_of(const std::string& time) {
  int year = 0;
  int month = 0;
  int day = 0;
  int hour = 0;
  int minute = 0;
  double second = 0;
  if (std::sscanf(time.c_str(), "%d-%d-%dT%d:%d:%lfZ", &year, &month, &day, &hour, &minute, &second) != 6)
    return 0;
  const std::chrono::sys_days date = std::chrono::year(year) / month / day;
  return static_cast<double>(date.time_since_epoch().count()) * 86400 + hour * 3600 + minute * 60 + second;
}

std::string between(const std::string& earlier, const std::string& later) {
  return human_duration(std::chrono::duration<double>(seconds_of(later) - seconds_of(earlier)));
}

Colour colour_of_state(std::string_view state) {
  if (state == "master" || state == "active") return Colour::green;
  if (state == "failed" || state == "down") return Colour::red;
  return Colour::yellow;
}

std::string label(std::string_view word, const Style& style) {
  return coloured(fmt::format("{:<11}", word), Colour::bold, style);
}

/// "1,296 active, 2 init"
std::string by_state(const json::value& states) {
  std::string out;
  const json::object* object = states.if_object();
  if (object == nullptr) return out;
  for (const std::string_view state : {"active", "armed", "init", "down"}) {
    const std::uint64_t count = number(states, state);
    if (count > 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", human_count(count), state);
  }
  return out;
}

std::string by_rate(const json::array& rates) {
  std::string out;
  for (auto rate = rates.rbegin(); rate != rates.rend(); ++rate) {
    out += fmt::format("{}{} at {} {}", out.empty() ? "" : ", ", human_count(number(*rate, "links")),
                       text(*rate, "width"), text(*rate, "speed"));
  }
  return out;
}

std::string fabric_lines(const json::value& status, const Style& style) {
  const json::value& fabric = at(status, "fabric");
  if (!fabric.is_object()) return label("Fabric", style) + "not known yet\n";
  std::string nodes = fmt::format("{}, {}", counted(number(fabric, "switches"), "switch"),
                                  counted(number(fabric, "hosts"), "host"));
  if (number(fabric, "routers") > 0) nodes += ", " + counted(number(fabric, "routers"), "router");
  const Colour colour = flag(fabric, "all_active") ? Colour::green : Colour::yellow;
  return fmt::format("{}{}\n{}{}: {}\n{}{}\n", label("Fabric", style), nodes, label("Links", style),
                     human_count(number(fabric, "links")),
                     coloured(or_dash(by_state(at(fabric, "links_by_state"))), colour, style),
                     label("", style), or_dash(by_rate(items(fabric, "links_by_rate"))));
}

std::string routing_lines(const json::value& status, const Style& style) {
  const json::value& routing = at(status, "routing");
  if (!routing.is_object()) return {};
  const std::uint64_t lost = number(routing, "pairs_lost");
  const std::string pairs =
      lost == 0 ? coloured(fmt::format("all {} pairs reached", human_count(number(routing, "pairs"))),
                           Colour::green, style)
                : coloured(fmt::format("{} of {} pairs lost", human_count(lost),
                                       human_count(number(routing, "pairs"))),
                           Colour::red, style);
  std::string out = fmt::format("{}{}, {}, longest path {}; {}\n", label("Routing", style),
                                text(routing, "engine"), counted(number(routing, "vls_needed"), "data VL"),
                                counted(number(routing, "longest"), "link"), pairs);
  if (flag(routing, "beyond_named")) {
    out += label("", style) +
           coloured("no engine that the configuration names could be used", Colour::yellow, style) + "\n";
  }
  if (flag(routing, "kept_last"))
    out += label("", style) + coloured("the last tables stay in force", Colour::yellow, style) + "\n";
  for (const json::value& refusal : items(routing, "refusals")) {
    out += fmt::format("{}not {}: {}\n", label("", style), text(refusal, "engine"), text(refusal, "reason"));
  }
  for (const json::value& note : items(routing, "notes")) {
    out += fmt::format("{}{}\n", label("", style), text(note));
  }
  return out;
}

std::string lid_lines(const json::value& status, const Style& style) {
  const json::value& plan = at(status, "plan");
  if (!plan.is_object()) return {};
  std::string out = fmt::format("{}up to {}, manager at {}", label("LIDs", style),
                                human_count(number(plan, "top_lid")), number(plan, "sm_lid"));
  const std::uint64_t without = number(plan, "ports_without_lid");
  if (without > 0) out += "; " + coloured(counted(without, "port") + " without a LID", Colour::red, style);
  out += '\n';
  for (const json::value& note : items(plan, "lid_notes")) {
    out += fmt::format("{}{}\n", label("", style), text(note));
  }
  return out;
}

std::string policy_lines(const json::value& status, const Style& style) {
  const json::value& plan = at(status, "plan");
  if (!plan.is_object() || !at(plan, "policies").is_object()) return {};
  const json::value& policies = at(plan, "policies");
  std::string out;
  if (!at(policies, "partitions").is_null())
    out +=
        label("Partitions", style) + std::to_string(number(policies, "partitions")) +
        (flag(policies, "partitions_in_force") ? "" : ", " + coloured("not in force", Colour::red, style)) +
        '\n';
  for (const json::value& note : items(policies, "partition_notes"))
    out += fmt::format("{}{}\n", label("", style), text(note));
  if (number(policies, "levels") > 0)
    out += fmt::format("{}{}\n", label("Levels", style), number(policies, "levels"));
  for (const json::value& note : items(policies, "level_notes"))
    out += fmt::format("{}{}\n", label("", style), text(note));
  return out;
}

std::string outcome(const json::value& report, const Style& style) {
  if (!text(report, "error").empty())
    return coloured("ended early: " + text(report, "error"), Colour::red, style);
  if (flag(report, "clean")) return coloured("clean", Colour::green, style);
  return coloured(fmt::format("not clean, {} left dirty", counted(number(report, "failed"), "block")),
                  Colour::yellow, style);
}

std::string requests(const json::value& report) {
  std::string out =
      fmt::format("{}, {}", counted(number(report, "smps"), "SMP"), counted(number(report, "sets"), "Set"));
  if (number(report, "timeouts") > 0) out += ", " + counted(number(report, "timeouts"), "timeout");
  return out;
}

std::string last_sweep_line(const json::value& status, std::string_view key, std::string_view title,
                            const Style& style) {
  const json::value& report = at(status, key);
  if (!report.is_object()) return {};
  return fmt::format("{}#{} ({}) {} ago, took {}: {}, {}\n", label(title, style), number(report, "number"),
                     text(report, "cause"), between(text(report, "started"), text(status, "now")),
                     milliseconds(report, "took_ms"), requests(report), outcome(report, style));
}

std::string table_section(std::string_view title, const Table& table, const Style& style) {
  if (table.size() == 0) return {};
  return fmt::format("\n{}\n{}", coloured(title, Colour::bold, style), table.text(style, 2));
}

std::string managers_table(const json::value& status, const Style& style) {
  Table table({{"STATE"}, {"PRIORITY", Align::right}, {"GUID"}, {"PATH"}, {"NODE", Align::left, true}});
  for (const json::value& other : items(status, "other_managers")) {
    table.add({text(other, "state"), std::to_string(number(other, "priority")), text(other, "guid"),
               text(other, "path"), text(other, "node")});
  }
  return table_section("Other managers", table, style);
}

/// "0x0002c90300000010 (leaf-3): LinearForwardingTable block 3: timeout"; a text as it is.
std::string trouble_text(const json::value& trouble) {
  if (!trouble.is_object()) return text(trouble);
  const std::string name = text(trouble, "name");
  std::string line = text(trouble, "node");
  if (!name.empty()) line += fmt::format(" ({})", name);
  for (const std::string_view key : {"what", "why"})
    if (const std::string word = text(trouble, key); !word.empty()) line += (line.empty() ? "" : ": ") + word;
  return line;
}

/// What a daemon that knows of no `issues` says is wrong.
std::string troubles_list(const json::value& status, const Style& style) {
  std::string out;
  for (const auto& [title, key] : {std::pair("Problems", "problems"), std::pair("Missing", "missing"),
                                   std::pair("Left dirty", "dirty")}) {
    const json::array& troubles = items(status, key);
    if (troubles.empty()) continue;
    out += fmt::format("\n{}\n", coloured(title, Colour::bold, style));
    for (const json::value& trouble : troubles)
      out += fmt::format("  {}\n", coloured(trouble_text(trouble), Colour::yellow, style));
  }
  return out;
}

/// What is wrong, worst first; under those that ask for the same, what to do.
std::string issues_list(const json::value& status, const Style& style) {
  constexpr std::size_t kTold = 20;  // of those that ask for the same
  if (!at(status, "issues").is_array()) return troubles_list(status, style);
  const json::array& issues = items(status, "issues");
  if (issues.empty()) return {};
  std::string out = fmt::format("\n{}\n", coloured("What is wrong, and what to do", Colour::bold, style));
  for (std::size_t i = 0; i < issues.size();) {
    const auto asks = [&](std::size_t at) {
      return std::pair(text(issues[at], "todo"), text(issues[at], "command"));
    };
    std::size_t end = i;
    while (end < issues.size() && asks(end) == asks(i)) ++end;
    for (std::size_t at = i; at < std::min(end, i + kTold); ++at)
      out += fmt::format("  {}\n", coloured(text(issues[at], "text"),
                                            colour_of_severity(text(issues[at], "severity")), style));
    if (end - i > kTold)
      out += fmt::format("  and {} more like these; --json lists them\n", human_count(end - i - kTold));
    const auto [todo, command] = asks(i);
    const std::string both = todo + (todo.empty() || command.empty() ? "" : " ") + command;
    if (!both.empty()) out += fmt::format("    -> {}\n", both);
    i = end;
  }
  return out;
}

std::string end_label(const json::value& end) {
  return fmt::format("{} port {}", or_dash(text(end, "name")), number(end, "port"));
}

std::string rate_of(const json::value& link) {
  return fmt::format("{} {}", text(link, "width"), text(link, "speed"));
}

std::string lids_of(const json::value& node) {
  std::string out;
  for (const json::value& end : items(node, "end_ports")) {
    const std::uint64_t first = number(end, "lid");
    const std::uint64_t last = first + (std::uint64_t{1} << number(end, "lmc")) - 1;
    out += fmt::format("{}{}", out.empty() ? "" : " ", first);
    if (last > first) out += fmt::format("-{}", last);
  }
  return or_dash(out);
}

std::string total_line(std::size_t shown, std::uint64_t total, std::string_view noun) {
  if (shown == total) return fmt::format("{}\n", counted(total, noun));
  return fmt::format("{} of {}\n", human_count(shown), counted(total, noun));
}

}  // namespace

Colour colour_of_severity(std::string_view severity) {
  if (severity == "error") return Colour::red;
  return severity == "warning" ? Colour::yellow : Colour::none;
}

std::string status_text(const json::value& status, const Style& style) {
  const std::string state = text(status, "state");
  std::string out = fmt::format("weftd {}: {}, generation {}, up {}\n", text(status, "version"),
                                coloured(state, colour_of_state(state), style), number(status, "generation"),
                                between(text(status, "started"), text(status, "now")));
  if (!text(status, "text").empty()) out += text(status, "text") + "\n";
  out += '\n';
  const std::string device = text(status, "device");
  if (!device.empty()) {
    out += label("Port", style) + device;
    const std::string guid = text(status, "port_guid");
    if (!guid.empty()) out += ", GUID " + guid;
    if (number(status, "lid") != 0) out += fmt::format(", LID {}", number(status, "lid"));
    out += '\n';
  }
  out += fabric_lines(status, style) + routing_lines(status, style) + lid_lines(status, style) +
         policy_lines(status, style);
  out += last_sweep_line(status, "last_full_sweep", "Full sweep", style);
  if (number(status, "last_sweep.number") != number(status, "last_full_sweep.number")) {
    out += last_sweep_line(status, "last_sweep", "Last sweep", style);
  }
  if (at(status, "progress").is_object()) {
    const std::uint64_t total = number(status, "progress.total");
    out +=
        fmt::format("{}{} {}{}\n", label("Now", style), text(status, "progress.phase"),
                    human_count(number(status, "progress.done")), total == 0 ? "" : "/" + human_count(total));
  }
  const std::string store = text(status, "store");
  if (!store.empty()) {
    out += label("Store", style) + coloured(store, store == "ok" ? Colour::none : Colour::red, style) + "\n";
  }
  const std::string shared = text(status, "shared");
  if (!shared.empty()) {
    const bool bad = shared.starts_with("not replicated") || shared.find("not to be reached") != shared.npos;
    out += label("Shared", style) + coloured(shared, bad ? Colour::red : Colour::none, style) + "\n";
  }
  for (const json::value& note : items(status, "unmatched"))
    out += label("Config", style) + coloured(text(note), Colour::yellow, style) + "\n";
  return out + managers_table(status, style) + issues_list(status, style);
}

std::string nodes_text(const json::value& nodes, const Style& style) {
  Table table({{"GUID"},
               {"TYPE"},
               {"NAME", Align::left, true},
               {"LID", Align::right},
               {"ACTIVE", Align::right},
               {"LINKED", Align::right},
               {"PORTS", Align::right}});
  for (const json::value& node : items(nodes, "nodes")) {
    const bool all = number(node, "active") == number(node, "linked");
    table.add({text(node, "guid"),
               text(node, "type"),
               text(node, "name") + (flag(node, "sm") ? " (SM)" : ""),
               lids_of(node),
               {std::to_string(number(node, "active")), all ? Colour::none : Colour::yellow},
               std::to_string(number(node, "linked")),
               std::to_string(number(node, "ports"))});
  }
  return table.text(style) + total_line(table.size(), number(nodes, "total"), "node");
}

/// "below what both ends can: width 1x of 4x"
std::string below_text(const json::value& link) {
  if (!flag(link, "below_best")) return "";
  std::string text = "below what both ends can";
  const char* before = ": ";
  for (const json::value& one : items(link, "below")) text += std::exchange(before, ", ") + ctl::text(one);
  return text;
}

/// That, and what is ordered of the link.
std::string remark_on(const json::value& link) {
  const std::string below = below_text(link);
  const std::string order = text(link, "upkeep");
  return order + (order.empty() || below.empty() ? "" : "; ") + below;
}

std::string links_text(const json::value& links, const Style& style) {
  Table table({{"FROM", Align::left, true},
               {"PORT", Align::right},
               {"TO", Align::left, true},
               {"PORT", Align::right},
               {"STATE"},
               {"RATE"},
               {"MTU", Align::right},
               {"VLS", Align::right},
               {""}});
  for (const json::value& link : items(links, "links")) {
    const std::string state = text(link, "state");
    table.add({text(link, "a.name"),
               std::to_string(number(link, "a.port")),
               text(link, "b.name"),
               std::to_string(number(link, "b.port")),
               {state, colour_of_state(state)},
               rate_of(link),
               std::to_string(number(link, "mtu")),
               std::to_string(number(link, "vls")),
               {remark_on(link), Colour::yellow}});
  }
  return table.text(style) + total_line(table.size(), number(links, "total"), "link");
}

std::string path_text(const json::value& path, const Style& style) {
  std::string out = fmt::format("{} (LID {}) to {} (LID {}): {}\n", end_label(at(path, "from")),
                                number(path, "from.lid"), end_label(at(path, "to")), number(path, "to.lid"),
                                counted(items(path, "hops").size(), "link"));
  Table table({{"HOP", Align::right},
               {"FROM", Align::left, true},
               {"PORT", Align::right},
               {"TO", Align::left, true},
               {"PORT", Align::right},
               {"RATE"},
               {"STATE"}});
  std::size_t hop_number = 0;
  for (const json::value& hop : items(path, "hops")) {
    const std::string state = text(hop, "state");
    table.add({std::to_string(++hop_number),
               text(hop, "out.name"),
               std::to_string(number(hop, "out.port")),
               text(hop, "in.name"),
               std::to_string(number(hop, "in.port")),
               rate_of(hop),
               {state, colour_of_state(state)}});
  }
  return table.size() > 0 ? out + table.text(style) : out;
}

std::string events_text(const json::value& events, const Style& style) {
  std::string out;
  for (const json::value& event : items(events, "events")) {
    const std::string severity = text(event, "severity");
    const Colour colour = colour_of_severity(severity);
    out += fmt::format("{}  {}  {}: {}\n", coloured(text(event, "time"), Colour::dim, style),
                       coloured(fmt::format("{:<7}", severity), colour, style), text(event, "kind"),
                       text(event, "text"));
  }
  return out;
}

std::string sweep_text(const json::value& report, const Style& style) {
  std::string out =
      fmt::format("{} sweep #{} took {}: {}, {}\n", text(report, "kind"), number(report, "number"),
                  milliseconds(report, "took_ms"), requests(report), outcome(report, style));
  Table table({{"PHASE"}, {"TIME", Align::right}, {"SMPS", Align::right}});
  for (const json::value& phase : items(report, "phases")) {
    table.add({text(phase, "name"), milliseconds(phase, "took_ms"), human_count(number(phase, "smps"))});
  }
  if (table.size() > 0) out += table.text(style, 2);
  for (const json::value& note : items(report, "notes")) {
    out += fmt::format("  {}\n", text(note));
  }
  return out;
}

std::string config_text(const json::value& config, const Style& style) {
  Table table({{"KEY"}, {"VALUE", Align::left, true}, {"ORIGIN"}});
  for (const json::value& setting : items(config, "settings")) {
    const std::string origin = text(setting, "origin");
    table.add({text(setting, "key"),
               text(setting, "value"),
               {origin, origin == "default" ? Colour::dim : Colour::none}});
  }
  return table.text(style);
}

}  // namespace weft::ctl
