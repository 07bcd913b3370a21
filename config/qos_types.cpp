#include "config/qos_types.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/rate.h"
#include "base/units.h"
#include "base/words.h"
#include "config/field_reader.h"
#include "config/group_fields.h"
#include "config/partition_types.h"

namespace weft::config {
namespace {

using qos::Level;
using qos::Range;
using qos::Rule;

constexpr std::uint64_t kSdp = 0x10000;          // + port
constexpr std::uint64_t kRdmaCmTcp = 0x1060000;  // + port

struct NamedService {
  std::string_view name;
  Range range;
};
constexpr std::uint64_t kIser = kRdmaCmTcp + 3260;
constexpr std::uint64_t kRds = kRdmaCmTcp + 18634;
constexpr std::uint64_t kNvme = kRdmaCmTcp + 4420;
constexpr std::uint64_t kLustre = kRdmaCmTcp + 988;
constexpr std::array kServices{
    NamedService{"sdp", {kSdp, kSdp + 0xffff}}, NamedService{"rds", {kRds, kRds}},
    NamedService{"iser", {kIser, kIser}},       NamedService{"nvme-of", {kNvme, kNvme}},
    NamedService{"lustre", {kLustre, kLustre}}, NamedService{"rdma-cm", {kRdmaCmTcp, kRdmaCmTcp + 0xffff}}};

std::vector<Value> as_list(const Value& value) {
  if (value.kind == Value::Kind::list) return value.children;
  if (value.kind == Value::Kind::null) return {};
  return {value};
}

void read_ranges(const Value& value, std::vector<Range>& ranges, std::uint64_t most, std::string_view what,
                 Report& report) {
  for (const Value& item : as_list(value)) {
    const auto range = item.kind == Value::Kind::text ? range_from(item.text, most) : std::nullopt;
    if (range)
      ranges.push_back(*range);
    else
      report.problem(item.place, fmt::format("expects {} up to 0x{:x} or a range like 0x10-0x1f, not {}",
                                             what, most, describe(item)));
  }
}

/// Names of services; ipoib stands for the default partition, as in OpenSM.
void read_services(const Value& value, Rule& rule, Report& report) {
  for (const Value& item : as_list(value)) {
    const std::string_view text = item.kind == Value::Kind::text ? std::string_view(item.text) : "";
    if (text == "ipoib") {
      rule.pkeys.push_back({0x7fff, 0x7fff});
    } else if (text == "srp") {
      report.problem(item.place, "SRP's service ids are its targets'; name these as destination");
    } else if (const auto named = service_named(text)) {
      rule.services.push_back(*named);
    } else if (const auto range = range_from(text, UINT64_MAX)) {
      rule.services.push_back(*range);
    } else {
      std::vector<std::string> names{"ipoib"};
      for (const NamedService& one : kServices) names.emplace_back(one.name);
      const std::string_view near = nearest(text, names);
      report.problem(item.place,
                     fmt::format("expects a service id, a range of them, rdma-cm:PORT or one of {}, not {}{}",
                                 fmt::join(names, ", "), describe(item),
                                 near.empty() ? "" : fmt::format("; did you mean {}?", near)));
    }
  }
}

/// { partition: storage } or { pkey: 0x10-0x1f }: the ports in these.
qos::PortsOf read_ports_of(const Value& map, Report& report) {
  static const Type<std::string> name = text("the name of a partition", 255, false);
  qos::PortsOf ports;
  std::vector<Range> numbers;
  FieldReader fields("an end of paths");
  fields
      .raw("partition",
           [&ports](const Value& value, Report& to) {
             const auto found = name.read(value, to);
             if (!found) return;
             ports.partition = *found;
             to.mention(Report::Mention::What::partition, value.place, *found);
           })
      .raw("pkey", [&numbers](const Value& value, Report& to) {
        read_ranges(value, numbers, 0x7fff, "a P_Key", to);
      });
  const std::size_t before = report.problem_count;
  fields.read(map, report);
  if (report.problem_count == before && ports.partition.empty() == numbers.empty())
    report.problem(map.place, "expects one partition, or one pkey or range of them");
  if (!numbers.empty()) ports.numbers = numbers.front();
  if (numbers.size() > 1) report.problem(map.place, "expects one pkey or range; give the others one each");
  return ports;
}

void read_end(const Value& value, qos::EndOf& end, Report& report) {
  const std::vector<Value> one{value};
  for (const Value& item : value.kind == Value::Kind::map ? one : as_list(value)) {
    if (item.kind == Value::Kind::text && !item.text.empty())
      end.ports.push_back(who_from(item.text));
    else if (item.kind == Value::Kind::map)
      end.partitions.push_back(read_ports_of(item, report));
    else
      report.problem(
          item.place,
          fmt::format("expects a GUID, a name, all, hosts, switches, routers, self, {{ partition: NAME "
                      "}} or {{ pkey: NUMBER }}, not {}",
                      describe(item)));
  }
}

Level read_level(const std::string& name, const Value& value, Report& report) {
  static const Type<int> sl = number(0, 14);
  static const Type<int> priority = choice({{"weighted", 0}, {"strict", 1}});
  static const Type<int> weight = number(1, 1000);
  static const Type<int> mtu = mtu_type();
  static const Type<int> rate = rate_type();
  static const Type<int> lifetime = wire_time(31, false);
  Level level{.name = name};
  FieldReader fields("a level");
  fields.field("sl", sl, level.sl)
      .field("priority", priority, level.strict)
      .field("weight", weight, level.weight)
      .field("mtu", mtu, level.mtu)
      .field("rate", rate, level.rate)
      .field("lifetime", lifetime, level.lifetime);
  if (value.kind != Value::Kind::null) fields.read(value, report);
  return level;
}

Rule read_rule(const Value& value, Report& report) {
  static const Type<bool> yes = flag();
  static const Type<std::string> level = level_name();
  static const Type<std::vector<std::string>> names = texts("names", {}, 0);
  Rule rule;
  FieldReader fields("a rule");
  fields.field("level", level, rule.level)
      .raw("source", [&rule](const Value& list, Report& to) { read_end(list, rule.source, to); })
      .raw("destination", [&rule](const Value& list, Report& to) { read_end(list, rule.destination, to); })
      .field("either_end", yes, rule.either_end)
      .raw("partition",
           [&rule](const Value& list, Report& to) {
             for (const Value& item : as_list(list))
               if (item.kind == Value::Kind::text)
                 to.mention(Report::Mention::What::partition, item.place, item.text);
             if (auto found = names.read(list, to)) rule.partitions = std::move(*found);
           })
      .raw("pkey",
           [&rule](const Value& list, Report& to) { read_ranges(list, rule.pkeys, 0x7fff, "a P_Key", to); })
      .raw("service", [&rule](const Value& list, Report& to) { read_services(list, rule, to); })
      .raw("class", [&rule](const Value& list, Report& to) {
        read_ranges(list, rule.classes, 0xfff, "a QoS class", to);
      });
  const std::size_t before = report.problem_count;
  fields.read(value, report);
  if (report.problem_count == before && rule.level.empty() && value.kind == Value::Kind::map)
    report.problem(value.place, "a rule needs its level");
  return rule;
}

std::string level_text(const Level& level) {
  std::string text;
  const auto add = [&text](std::string_view name, const auto& shown) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", name, shown);
  };
  if (level.sl) add("sl", raw(*level.sl));
  if (level.strict) add("priority", "strict");
  if (level.weight != 1) add("weight", level.weight);
  if (level.mtu) add("mtu", 128 << static_cast<int>(*level.mtu));
  if (level.rate) add("rate", rate_speed_text(*level.rate));
  if (level.lifetime) add("lifetime", duration_text(base::wire_time(*level.lifetime)));
  return "{ " + text + " }";
}

std::string ranges_text(const std::vector<Range>& ranges) {
  std::string text;
  for (const Range& range : ranges) text += (text.empty() ? "" : ", ") + range_text(range);
  return "[" + text + "]";
}

std::string end_text(const qos::EndOf& end) {
  std::string text;
  for (const qos::Who& one : end.ports) text += (text.empty() ? "" : ", ") + yaml_text(who_text(one));
  for (const qos::PortsOf& one : end.partitions)
    text += fmt::format("{}{{ {} }}", text.empty() ? "" : ", ",
                        one.partition.empty() ? "pkey: " + range_text(one.numbers)
                                              : "partition: " + yaml_text(one.partition));
  return "[" + text + "]";
}

std::string rule_text(const Rule& rule) {
  std::string text = "{ level: " + yaml_text(rule.level);
  if (!rule.source.empty()) text += ", source: " + end_text(rule.source);
  if (!rule.destination.empty()) text += ", destination: " + end_text(rule.destination);
  if (rule.either_end) text += ", either_end: true";
  if (!rule.partitions.empty()) {
    std::string names;
    for (const std::string& one : rule.partitions) names += (names.empty() ? "" : ", ") + yaml_text(one);
    text += ", partition: [" + names + "]";
  }
  if (!rule.pkeys.empty()) text += ", pkey: " + ranges_text(rule.pkeys);
  if (!rule.services.empty()) text += ", service: " + ranges_text(rule.services);
  if (!rule.classes.empty()) text += ", class: " + ranges_text(rule.classes);
  return text + " }";
}

std::string level_json() {
  using namespace json_form;
  return any_of({fields({{"sl", integer(0, 14)},
                         {"priority", R"({"enum":["weighted","strict"]})"},
                         {"weight", integer(1, 1000)},
                         {"mtu", R"({"enum":[256,512,1024,2048,4096]})"},
                         {"rate", std::string(kText)},
                         {"lifetime", std::string(kDuration)}}),
                 std::string(kNothing)});
}

std::string rule_json() {
  using namespace json_form;
  const std::string text(kText);
  const std::string end = any_of({text, fields({{"partition", text}, {"pkey", text}})});
  const std::string ends = any_of({end, list_of(end)});
  const std::string texts = any_of({text, list_of(text)});
  return fields({{"level", text},
                 {"source", ends},
                 {"destination", ends},
                 {"either_end", std::string(kFlag)},
                 {"partition", texts},
                 {"pkey", texts},
                 {"service", texts},
                 {"class", texts}});
}

}  // namespace

std::optional<Range> service_named(std::string_view name) {
  for (const NamedService& one : kServices)
    if (name == one.name) return one.range;
  constexpr std::string_view kPrefix = "rdma-cm:";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  const auto port = number_from(name.substr(kPrefix.size()));
  if (!port || *port > 0xffff) return std::nullopt;
  return Range{kRdmaCmTcp + *port, kRdmaCmTcp + *port};
}

Type<std::vector<Level>> level_map() {
  Type<std::vector<Level>> type;
  type.json = json_form::any_of({json_form::map_of(level_json()), std::string(json_form::kNothing)});
  type.form =
      "a map of names to levels such as { storage: { sl: 2, weight: 4 }, kv-cache: { priority: strict } }";
  type.read = [form = type.form](const Value& value, Report& report) -> std::optional<std::vector<Level>> {
    std::vector<Level> levels;
    if (value.kind == Value::Kind::null) return levels;
    const std::size_t before = report.problem_count;
    if (value.kind != Value::Kind::map) {
      report.problem(value.place, fmt::format("expects {}, not {}", form, describe(value)));
      return std::nullopt;
    }
    std::map<std::string, int> names;
    std::map<Sl, std::string> owners;
    for (std::size_t i = 0; i + 1 < value.children.size(); i += 2) {
      const Value& name = value.children[i];
      if (name.kind != Value::Kind::text || !is_name(name.text)) {
        report.problem(name.place, fmt::format("expects the name of a level, not {}", describe(name)));
        continue;
      }
      const auto [first, fresh] = names.emplace(name.text, name.place.line);
      if (!fresh)
        report.problem(name.place, fmt::format("level {} is defined twice; first in line {}",
                                               in_quotes(name.text), first->second));
      Level level = read_level(name.text, value.children[i + 1], report);
      if (level.sl) {
        const auto [owner, alone] = owners.emplace(*level.sl, level.name);
        if (!alone)
          report.note(name.place,
                      fmt::format("levels {} and {} have one SL, {}, and with it their lanes and share",
                                  in_quotes(owner->second), in_quotes(level.name), raw(*level.sl)));
      }
      levels.push_back(std::move(level));
    }
    if (levels.size() > 15)
      report.problem(value.place, fmt::format("there are 15 SLs for data, and {} levels", levels.size()));
    if (report.problem_count != before) return std::nullopt;
    return levels;
  };
  type.show = [](const std::vector<Level>& levels) {
    std::string text;
    for (const Level& level : levels)
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", yaml_text(level.name), level_text(level));
    return "{" + text + "}";
  };
  return type;
}

Type<std::vector<Rule>> rule_list() {
  Type<std::vector<Rule>> type;
  type.json = json_form::any_of({json_form::list_of(rule_json()), std::string(json_form::kNothing)});
  type.form = "a list of rules such as [ { level: storage, destination: [\"nas*\"], service: [nvme-of] } ]";
  type.read = [form = type.form](const Value& value, Report& report) -> std::optional<std::vector<Rule>> {
    std::vector<Rule> rules;
    if (value.kind == Value::Kind::null) return rules;
    const std::size_t before = report.problem_count;
    if (value.kind != Value::Kind::list)
      report.problem(value.place, fmt::format("expects {}, not {}", form, describe(value)));
    else
      for (const Value& item : value.children) rules.push_back(read_rule(item, report));
    if (report.problem_count != before) return std::nullopt;
    return rules;
  };
  type.show = [](const std::vector<Rule>& rules) {
    std::string text;
    for (const Rule& rule : rules) text += (text.empty() ? "" : ", ") + rule_text(rule);
    return "[" + text + "]";
  };
  return type;
}

}  // namespace weft::config
