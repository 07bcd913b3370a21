#include "ctl/history_commands.h"

#include <chrono>
#include <ostream>
#include <thread>

#include <fmt/format.h>
#include <boost/json/serialize.hpp>

#include "ctl/ask.h"
#include "ctl/json_read.h"
#include "ctl/text.h"

namespace weft::ctl {

namespace json = boost::json;

namespace {

constexpr auto kFollowEvery = std::chrono::milliseconds(500);
constexpr std::uint64_t kFewEvents = 100;
constexpr std::uint64_t kManyEvents = 10'000;

std::string event_target(const EventOptions& options, std::uint64_t after, bool first) {
  const bool back = !options.since.empty();
  const std::uint64_t limit = options.limit > 0 ? options.limit : back ? kManyEvents : kFewEvents;
  std::string target = fmt::format("/v1/events?after={}&limit={}", after, first ? limit : kManyEvents);
  const auto add = [&target](std::string_view key, const std::string& value) {
    if (!value.empty()) target += fmt::format("&{}={}", key, escaped(value));
  };
  if (first) add("since", options.since);
  if (!first) add("order", "oldest");
  add("until", options.until);
  add("kind", options.kind);
  add("severity", options.severity);
  add("node", options.node);
  add("port", options.port);
  return target;
}

std::string as_lines(const json::array& events) {
  std::string out;
  for (const json::value& event : events) out += json::serialize(event) + "\n";
  return out;
}

/// "2026-01-02 03:04:05" of a time as the API writes it.
std::string short_time(std::string time) {
  if (time.size() < 19) return time;
  time[10] = ' ';
  return time.substr(0, 19);
}

}  // namespace

Exit show_events(const Client& client, const Output& output, const EventOptions& options) {
  std::uint64_t after = options.after;
  for (bool first = true;; first = false) {
    const auto events = client.get(event_target(options, after, first));
    if (!events) return report_failure(output, events.error());
    // Followed, JSON is one event a line: a list would never end.
    if (output.json)
      output.out << (options.follow ? as_lines(items(*events, "events")) : json::serialize(*events) + "\n");
    else
      output.out << events_text(*events, output.style);
    output.out << std::flush;
    if (!options.follow) return Exit::done;
    after = std::max(after, number(*events, "last"));
    std::this_thread::sleep_for(kFollowEvery);
  }
}

std::string sweeps_text(const json::value& sweeps, const Style& style) {
  Table table({{"BEGAN"},
               {"SWEEP", Align::right},
               {"KIND"},
               {"TOOK", Align::right},
               {"SMPS", Align::right},
               {"SETS", Align::right},
               {"END"},
               {"CAUSE", Align::left, true}});
  for (const json::value& sweep : items(sweeps, "sweeps")) {
    const bool clean = flag(sweep, "clean");
    const std::string end = !text(sweep, "error").empty() ? "failed" : clean ? "clean" : "not clean";
    table.add({short_time(text(sweep, "started")),
               fmt::format("#{}", number(sweep, "number")),
               text(sweep, "kind"),
               human_duration(std::chrono::duration<double, std::milli>(real(sweep, "took_ms"))),
               human_count(number(sweep, "smps")),
               human_count(number(sweep, "sets")),
               {end, clean ? Colour::green : Colour::yellow},
               text(sweep, "cause")});
  }
  if (table.size() == 0) return "no sweeps\n";
  return table.text(style);
}

std::string changes_text(const json::value& changes, const Style& style) {
  const std::string since = short_time(text(changes, "since"));
  const json::array& list = items(changes, "changes");
  if (list.empty()) return fmt::format("Nothing has changed since {}.\n", since);
  std::string out =
      fmt::format("Since {} ({} in all):\n", since, counted(number(changes, "events"), "event"));
  std::string group;
  for (const json::value& change : list) {
    if (text(change, "group") != group) {
      group = text(change, "group");
      out += fmt::format("\n{}\n", coloured(group, Colour::bold, style));
    }
    const std::uint64_t times = number(change, "times");
    out +=
        fmt::format("  {}  {}{}\n", coloured(short_time(text(change, "first")), Colour::dim, style),
                    coloured(text(change, "text"), colour_of_severity(text(change, "severity")), style),
                    times > 1 ? fmt::format(" ({} times, last {})", times, short_time(text(change, "last")))
                              : std::string());
  }
  if (flag(changes, "cut")) out += "\nThere is more than this: ask for less time.\n";
  return out;
}

Exit show_sweeps(const Client& client, const Output& output, const std::string& since) {
  const std::string target = since.empty() ? "/v1/sweeps" : "/v1/sweeps?limit=10000&since=" + escaped(since);
  return show_answer(client, output, target, sweeps_text);
}

Exit show_changes(const Client& client, const Output& output, const std::string& since) {
  return show_answer(client, output, "/v1/changes?since=" + escaped(since), changes_text);
}

}  // namespace weft::ctl
