#include "ctl/partition_commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/json/serialize.hpp>

#include "base/units.h"
#include "ctl/ask.h"
#include "ctl/json_read.h"

namespace weft::ctl {

namespace json = boost::json;

std::string partitions_text(const json::value& partitions, const Style& style) {
  const json::array& all = items(partitions, "partitions");
  if (all.empty())
    return "No partitions are defined: every port keeps its P_Key table, which holds the default key "
           "0xffff.\n";
  Table table({{"Name", Align::left, true}, {"Key"}, {"Full", Align::right}, {"Limited", Align::right}});
  std::string lists;
  for (const json::value& one : all) {
    table.add({text(one, "name"), text(one, "key"), human_count(number(one, "full")),
               human_count(number(one, "limited"))});
    const json::value& members = at(one, "list");
    if (!members.is_array() || members.get_array().empty()) continue;
    lists += fmt::format("\n{} ({})\n", text(one, "name"), text(one, "key"));
    for (const json::value& member : members.get_array())
      lists +=
          fmt::format("  {} {} {}\n", text(member, "port"), text(member, "membership"), text(member, "name"));
  }
  return table.text(style) + lists;
}

std::string pkey_text(const json::value& answer, const Style& style) {
  const json::array& keys = items(answer, "keys");
  std::string out =
      fmt::format("{}: {} of {} P_Keys{}", text(answer, "port"), keys.size(), number(answer, "capacity"),
                  flag(answer, "managed") ? "" : "; no partitions are defined");
  if (at(answer, "checked_by").is_string())
    out += fmt::format("; checked {} by {}", text(answer, "checked"), text(answer, "checked_by"));
  else if (flag(answer, "managed"))
    out += "; not checked by a switch";
  out += "\n\n";
  Table table({{"Index", Align::right}, {"P_Key"}, {"Membership"}, {"Partition", Align::left, true}});
  for (const json::value& key : keys)
    table.add({std::to_string(number(key, "index")), text(key, "pkey"), text(key, "membership"),
               text(key, "partition")});
  out += table.text(style);
  const json::value& reason = at(answer, "reason");
  if (!reason.is_object()) return out;
  const std::string name = at(reason, "partition").is_string() ? text(reason, "partition") + " " : "";
  out += fmt::format("\n{}({}): {}\n", name, text(reason, "key"), text(reason, "why"));
  for (const json::value& line : items(reason, "lines"))
    out += fmt::format("  {}: {}{}\n", text(line, "line"), text(line, "membership"),
                       flag(line, "counts") ? "  <- this line counts" : "");
  return out;
}

Exit show_partitions(const Client& client, const Output& output, bool members) {
  return show_pages(client, output, members ? "/v1/partitions?members=1&" : "/v1/partitions?", "partitions",
                    partitions_text);
}

Exit explain_pkey(const Client& client, const Output& output, const std::string& port,
                  const std::string& key) {
  return show_answer(client, output,
                     "/v1/explain/pkey?port=" + escaped(port) + (key.empty() ? "" : "&key=" + escaped(key)),
                     pkey_text);
}

}  // namespace weft::ctl
