#include "ctl/partition_commands.h"

#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/json/serialize.hpp>

#include "base/units.h"
#include "config/file.h"
#include "config/opensm_partitions.h"
#include "config/opensm_qos.h"
#include "config/partition_types.h"
#include "config/qos_types.h"
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

Exit import_opensm_partitions(const Output& output, const std::string& file) {
  const Result<std::string> contents = config::slurp(file);
  if (!contents) {
    output.err << contents.error().what << std::endl;
    return Exit::usage;
  }
  config::Report report{.source = file};
  const auto all = config::read_opensm_partitions(*contents, report);
  if (report.problem_count > 0) {
    output.err << fmt::format("{}", fmt::join(report.problems, "\n")) << std::endl;
    return Exit::usage;
  }
  const auto type = config::partition_map();
  std::string yaml = fmt::format(
      "# From {}. For weft.yaml, or a file of its own under partitions.include.\npartitions:\n  define:\n",
      file);
  json::array statements;
  for (const config::ReadPartition& one : all) {
    std::string shown = type.show({one.partition});
    shown = shown.substr(1, shown.size() - 2);  // without the braces of the map
    const std::string_view note = one.merged ? ": its key is another's, so its members stand there" : "";
    yaml += fmt::format("    # line {}{}\n    {}{}\n", one.place.line, note, one.merged ? "# " : "", shown);
    statements.push_back(json::object{{"line", one.place.line}, {"merged", one.merged}, {"yaml", shown}});
  }
  if (output.json)
    output.out << json::serialize(json::object{{"file", file}, {"statements", std::move(statements)}})
               << std::endl;
  else
    output.out << yaml << std::flush;
  return Exit::done;
}

Exit import_opensm_qos(const Output& output, const std::string& file) {
  const Result<std::string> contents = config::slurp(file);
  if (!contents) {
    output.err << contents.error().what << std::endl;
    return Exit::usage;
  }
  config::Report report{.source = file};
  const qos::Policy policy = config::read_opensm_qos(*contents, report);
  if (report.problem_count > 0) {
    output.err << fmt::format("{}", fmt::join(report.problems, "\n")) << std::endl;
    return Exit::usage;
  }
  const std::string levels = config::level_map().show(policy.levels);
  const std::string rules = config::rule_list().show(policy.rules);
  if (output.json) {
    output.out << json::serialize(
                      json::object{{"file", file},
                                   {"levels", levels},
                                   {"rules", rules},
                                   {"default", policy.default_level},
                                   {"notes", json::array(report.notes.begin(), report.notes.end())}})
               << std::endl;
    return Exit::done;
  }
  output.out << "# From " << file << ". For weft.yaml.\n";
  for (const std::string& note : report.notes) output.out << "# " << note << '\n';
  output.out << "qos:\n  levels: " << levels << "\n  rules: " << rules
             << "\n  default: " << yaml_text(policy.default_level) << '\n'
             << std::flush;
  return Exit::done;
}

}  // namespace weft::ctl
