#include "ctl/port_sets_commands.h"

#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ctl/ask.h"
#include "ctl/json_read.h"

namespace weft::ctl {

namespace json = boost::json;

namespace {

/// "1-3,7"
std::string ports_text(const json::array& ports) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < ports.size();) {
    const auto port = [&ports](std::size_t at) { return ports[at].to_number<unsigned>(); };
    std::size_t last = i;
    while (last + 1 < ports.size() && port(last + 1) == port(last) + 1) ++last;
    parts.push_back(last == i ? fmt::format("{}", port(i)) : fmt::format("{}-{}", port(i), port(last)));
    i = last + 1;
  }
  return parts.empty() ? "-" : fmt::format("{}", fmt::join(parts, ","));
}

/// The first few of many.
std::string some(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 4;
  if (names.size() <= kShown + 1) return fmt::format("{}", fmt::join(names, " "));
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + kShown, " "),
                     names.size() - kShown);
}

}  // namespace

std::string port_sets_text(const json::value& switches, const Style& style) {
  Table table({{"SWITCH", Align::left, true},
               {"GUID"},
               {"SETS", Align::right},
               {"MOST PORTS", Align::right},
               {"BY TABLES", Align::right}});
  for (const json::value& one : items(switches, "switches"))
    table.add({text(one, "name"), text(one, "guid"), human_count(number(one, "sets")),
               human_count(number(one, "most_ports")), human_count(number(one, "by_tables"))});
  return table.text(style);
}

std::string port_sets_of_text(const json::value& sets, const Style& style) {
  using Line = std::vector<std::string>;  // class, group, ports, spare
  std::map<Line, std::vector<std::string>> leaves;
  std::vector<Line> order;
  for (const json::value& one : items(sets, "sets")) {
    Line line{std::to_string(number(one, "class")), std::to_string(number(one, "group")),
              flag(one, "by_tables") ? "by tables" : ports_text(items(one, "ports")),
              ports_text(items(one, "spare"))};
    const auto [at, fresh] = leaves.try_emplace(line);
    if (fresh) order.push_back(line);
    at->second.push_back(text(one, "leaf"));
  }
  Table table({{"CLASS", Align::right},
               {"GROUP", Align::right},
               {"PORTS"},
               {"SPARE AMONG THEM"},
               {"LEAVES", Align::left, true}});
  for (const Line& line : order) table.add({line[0], line[1], line[2], line[3], some(leaves[line])});
  return table.text(style);
}

Exit show_port_sets(const Client& client, const Output& output, const std::string& at,
                    const std::string& leaf) {
  if (at.empty()) return show_pages(client, output, "/v1/port-sets?", "switches", port_sets_text);
  return show_pages(client, output,
                    fmt::format("/v1/port-sets?switch={}&leaf={}&", escaped(at), escaped(leaf)), "sets",
                    port_sets_of_text);
}

}  // namespace weft::ctl
