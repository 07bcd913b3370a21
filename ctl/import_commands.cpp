#include "ctl/import_commands.h"

#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "base/units.h"
#include "config/file.h"
#include "config/opensm_options.h"
#include "config/opensm_partitions.h"
#include "config/opensm_qos.h"
#include "config/partition_types.h"
#include "config/qos_tables.h"
#include "config/qos_types.h"

namespace weft::ctl {
namespace {

namespace json = boost::json;

/// A file read: as text for people, and as JSON.
struct Imported {
  std::string yaml;
  json::object object;
};

Imported import_partitions(std::string_view text, config::Report& report) {
  const auto type = config::partition_map();
  Imported made{.yaml = fmt::format("# From {}. For weft.yaml, or a file of its own under "
                                    "partitions.include.\npartitions:\n  define:\n",
                                    report.source),
                .object = {}};
  json::array statements;
  for (const config::ReadPartition& one : config::read_opensm_partitions(text, report)) {
    std::string shown = type.show({one.partition});
    shown = shown.substr(1, shown.size() - 2);  // without the braces of the map
    const std::string_view note = one.merged ? ": its key is another's, so its members stand there" : "";
    made.yaml +=
        fmt::format("    # line {}{}\n    {}{}\n", one.place.line, note, one.merged ? "# " : "", shown);
    statements.push_back(json::object{{"line", one.place.line}, {"merged", one.merged}, {"yaml", shown}});
  }
  made.object["statements"] = std::move(statements);
  return made;
}

Imported import_qos_policy(std::string_view text, config::Report& report) {
  const qos::Policy policy = config::read_opensm_qos(text, report);
  const std::string levels = config::level_map().show(policy.levels);
  const std::string rules = config::rule_list().show(policy.rules);
  Imported made{.yaml = fmt::format("# From {}. For weft.yaml.\n", report.source),
                .object = {{"levels", levels},
                           {"rules", rules},
                           {"default", policy.default_level},
                           {"notes", json::array(report.notes.begin(), report.notes.end())}}};
  for (const std::string& note : report.notes) made.yaml += fmt::format("# {}\n", note);
  made.yaml += fmt::format("qos:\n  levels: {}\n  rules: {}\n  default: {}\n", levels, rules,
                           yaml_text(policy.default_level));
  return made;
}

Imported import_options(std::string_view text, config::Report& report) {
  const config::OpensmOptions options = config::read_opensm_options(text, report);
  const std::string tables = config::typed_tables().show(options.tables);
  Imported made{.yaml = fmt::format("# From {}. For weft.yaml.\n", report.source),
                .object = {{"qos", options.on},
                           {"tables", tables},
                           {"policy_file", options.policy_file},
                           {"others", json::array(options.others.begin(), options.others.end())}}};
  json::array lines;
  for (const config::ReadOption& one : options.lines) {
    made.yaml += fmt::format("# line {}: {}: {}\n", one.line, one.text, one.became);
    lines.push_back(json::object{{"line", one.line}, {"option", one.text}, {"became", one.became}});
  }
  made.object["lines"] = std::move(lines);
  if (!options.others.empty())
    made.yaml += fmt::format("# Not about quality of service, and without a key of that name here: {}\n",
                             fmt::join(options.others, ", "));
  const std::string_view mark = options.on ? "" : "# ";
  if (!options.on) made.yaml += "# Only where OpenSM is run with -Q:\n";
  made.yaml += fmt::format("{}qos:\n", mark);
  if (!options.policy_file.empty())
    made.yaml += fmt::format("{}  # opensm_file: {}  # OpenSM does without where there is none\n", mark,
                             yaml_text(options.policy_file));
  made.yaml += fmt::format("{}  tables: {}\n", mark, tables);
  return made;
}

Imported read_as(OpensmFile kind, std::string_view text, config::Report& report) {
  switch (kind) {
    case OpensmFile::partitions:
      return import_partitions(text, report);
    case OpensmFile::qos_policy:
      return import_qos_policy(text, report);
    case OpensmFile::options:
      return import_options(text, report);
  }
  return {};
}

}  // namespace

Exit import_opensm(const Output& output, OpensmFile kind, const std::string& file) {
  const Result<std::string> text = config::slurp(file);
  if (!text) {
    output.err << text.error().what << std::endl;
    return Exit::usage;
  }
  config::Report report{.source = file};
  Imported made = read_as(kind, *text, report);
  if (report.problem_count > 0) {
    output.err << fmt::format("{}", fmt::join(report.problems, "\n")) << std::endl;
    return Exit::usage;
  }
  made.object["file"] = file;
  output.out << (output.json ? json::serialize(made.object) + "\n" : made.yaml) << std::flush;
  return Exit::done;
}

}  // namespace weft::ctl
