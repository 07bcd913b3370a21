#include "ctl/counter_commands.h"

#include <algorithm>
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

constexpr auto kBetweenReadings = std::chrono::seconds(1);
constexpr auto kRedraw = std::chrono::seconds(2);
constexpr std::size_t kWorstLinks = 8;

/// "12.3 Gb/s" of bytes a second.
std::string bit_rate(const json::value& bytes_a_second) {
  if (!bytes_a_second.is_number()) return "-";
  double bits = bytes_a_second.to_number<double>() * 8;
  for (const char* unit : {"b/s", "kb/s", "Mb/s", "Gb/s"}) {
    if (bits < 1000 || std::string_view(unit) == "Gb/s") return fmt::format("{:.3g} {}", bits, unit);
    bits /= 1000;
  }
  return "-";
}

std::uint64_t errors_in_all(const json::value& port) {
  std::uint64_t sum = 0;
  const json::object* errors = at(port, "errors").if_object();
  if (errors == nullptr) return 0;
  for (const auto& [name, value] : *errors) sum += number(at(port, "errors"), name);
  return sum;
}

/// "symbol_errors 12, link_downed 1"
std::string errors_named(const json::value& port) {
  std::string out;
  const json::object* errors = at(port, "errors").if_object();
  if (errors == nullptr) return out;
  for (const auto& [name, value] : *errors) {
    const std::uint64_t count = number(at(port, "errors"), name);
    if (count == 0) continue;
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", std::string_view(name), human_count(count));
  }
  return out;
}

std::string per_second(double count) { return fmt::format("{:.1f}/s", count); }

double rate_between(const json::value& now, const json::value* before, double seconds,
                    std::string_view path) {
  if (before == nullptr || seconds <= 0) return 0;
  const std::uint64_t later = number(now, path);
  const std::uint64_t earlier = number(*before, path);
  return later < earlier ? 0 : static_cast<double>(later - earlier) / seconds;
}

std::string sweep_line(const json::value& status) {
  const json::value& sweep = at(status, "last_sweep");
  if (!sweep.is_object()) return "no sweep yet";
  return fmt::format("#{} {} took {}, {} ({})", number(sweep, "number"), text(sweep, "kind"),
                     human_duration(std::chrono::duration<double, std::milli>(real(sweep, "took_ms"))),
                     flag(sweep, "clean") ? "clean" : "not clean", text(sweep, "cause"));
}

std::string worst_links(const Moment& now, const Style& style) {
  std::vector<const json::value*> ports;
  for (const json::value& port : items(now.counters, "counters"))
    if (errors_in_all(port) > 0) ports.push_back(&port);
  std::ranges::sort(ports, std::greater(), [](const json::value* port) { return errors_in_all(*port); });
  Table table({{"WORST LINKS", Align::left, true}, {"PORT", Align::right}, {"WHAT", Align::left, true}});
  for (std::size_t i = 0; i < std::min(ports.size(), kWorstLinks); ++i)
    table.add({text(*ports[i], "name"),
               std::to_string(number(*ports[i], "port")),
               {errors_named(*ports[i]), Colour::yellow}});
  for (const json::value& link : items(now.slow_links, "links")) {
    if (table.size() >= kWorstLinks) break;
    std::string below;
    for (const json::value& one : items(link, "below")) below += (below.empty() ? "" : ", ") + text(one);
    table.add({text(link, "a.name"), std::to_string(number(link, "a.port")), {below, Colour::yellow}});
  }
  return table.size() > 0 ? table.text(style) : std::string("no link is known to be bad\n");
}

Reply<Moment> look(const Client& client) {
  Moment now;
  const auto take = [&client](json::value& into, const char* target) -> std::optional<Failure> {
    auto answer = client.get(target);
    if (answer) into = std::move(*answer);
    // What is not known yet (no device, not master) is left empty; a daemon that is not there is an end.
    if (!answer && answer.error().status == 0) return answer.error();
    return std::nullopt;
  };
  for (const auto& [into, target] :
       {std::pair(&now.status, "/v1/status"), std::pair(&now.sa, "/v1/sa"),
        std::pair(&now.events, "/v1/events?limit=8"), std::pair(&now.counters, "/v1/counters?limit=10000"),
        std::pair(&now.slow_links, "/v1/links?below_best=1&limit=20")})
    if (auto failure = take(*into, target)) return tl::unexpected(std::move(*failure));
  now.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  return now;
}

}  // namespace

std::string counters_text(const json::value& counters, const Style& style) {
  Table table({{"NODE", Align::left, true},
               {"PORT", Align::right},
               {"SENDS", Align::right},
               {"RECEIVES", Align::right},
               {"SENT", Align::right},
               {"RECEIVED", Align::right},
               {"ERRORS", Align::left, true}});
  for (const json::value& port : items(counters, "counters")) {
    const std::string errors = errors_named(port);
    table.add({text(port, "name").empty() ? text(port, "guid") : text(port, "name"),
               std::to_string(number(port, "port")),
               bit_rate(at(port, "traffic_a_second.xmit_bytes")),
               bit_rate(at(port, "traffic_a_second.rcv_bytes")),
               human_count(number(port, "traffic.xmit_bytes")) + " B",
               human_count(number(port, "traffic.rcv_bytes")) + " B",
               {errors.empty() ? "none" : errors, errors.empty() ? Colour::none : Colour::yellow}});
  }
  if (table.size() == 0) return "no counters were read: name a port, or set link_health.counters.interval\n";
  return table.text(style);
}

Exit show_counters(const Client& client, const Output& output, const std::string& port) {
  if (port.empty()) return show_pages(client, output, "/v1/counters?", "counters", counters_text);
  const std::string target = "/v1/counters?port=" + escaped(port);
  const auto first = client.get(target);
  if (!first) return report_failure(output, first.error());
  std::this_thread::sleep_for(kBetweenReadings);
  return show_answer(client, output, target, counters_text);
}

std::string top_text(const Moment& now, const Moment* before, const Style& style) {
  const double seconds = before != nullptr ? now.seconds - before->seconds : 0;
  const json::value* status_before = before != nullptr ? &before->status : nullptr;
  const json::value* sa_before = before != nullptr ? &before->sa : nullptr;
  const std::string state = text(now.status, "state");
  std::string out = fmt::format("weftd {}  {}  {}\n", text(now.status, "version"),
                                coloured(state, state == "master" ? Colour::green : Colour::yellow, style),
                                text(now.status, "text"));
  out +=
      fmt::format("Fabric   {}, {}, {}; {}; {}\n", counted(number(now.status, "fabric.switches"), "switch"),
                  counted(number(now.status, "fabric.hosts"), "host"),
                  counted(number(now.status, "fabric.links"), "link"),
                  counted(items(now.status, "problems").size(), "problem"),
                  counted(items(now.status, "missing").size(), "part") + " missing");
  out += fmt::format("Sweeps   {}\n", sweep_line(now.status));
  out += fmt::format("SMPs     {} sent, {}\n", human_count(number(now.status, "smps.sent")),
                     per_second(rate_between(now.status, status_before, seconds, "smps.sent")));
  out += fmt::format("SA       {} answered, {}; {} refused\n\n", human_count(number(now.sa, "answered")),
                     per_second(rate_between(now.sa, sa_before, seconds, "answered")),
                     human_count(number(now.sa, "refused")));
  out += worst_links(now, style) + "\n";
  const std::string events = events_text(now.events, style);
  return out + (events.empty() ? "no events yet\n" : events);
}

Exit show_top(const Client& client, const Output& output, bool once) {
  std::optional<Moment> before;
  for (;;) {
    auto now = look(client);
    if (!now) return report_failure(output, now.error());
    if (output.json) {
      output.out << json::serialize(json::object{{"status", now->status},
                                                 {"sa", now->sa},
                                                 {"events", now->events},
                                                 {"counters", now->counters},
                                                 {"slow_links", now->slow_links}})
                 << std::endl;
    } else {
      if (!once) output.out << "\x1b[H\x1b[2J";
      output.out << top_text(*now, before ? &*before : nullptr, output.style) << std::flush;
    }
    if (once) return Exit::done;
    before = std::move(*now);
    std::this_thread::sleep_for(kRedraw);
  }
}

}  // namespace weft::ctl
