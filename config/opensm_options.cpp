#include "config/opensm_options.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/units.h"
#include "config/schema.h"
#include "config/text_check.h"

namespace weft::config {
namespace {

using qos::ArbEntry;
using qos::TypedTable;

constexpr std::string_view kBlanks = " \t\r";
constexpr std::size_t kMostEntries = 64;

/// A kind of port, as the names of options have it, and what it is called here.
struct PortKind {
  std::string_view infix;
  std::string_view section;
};
constexpr PortKind kGeneral{"", "qos.tables.all"};
constexpr PortKind kPortKinds[] = {{"ca_", "qos.tables.hosts"},
                                   {"rtr_", "qos.tables.routers"},
                                   {"swe_", "qos.tables.switches"},
                                   {"sw0_", {}},
                                   kGeneral};
constexpr std::string_view kFields[] = {"max_vls", "high_limit", "vlarb_high", "vlarb_low", "sl2vl"};

/// OpenSM's own values, for what neither the kind nor the general options set. Source: osm_base.h.
constexpr std::string_view kBuiltInHigh = "0:4,1:0,2:0,3:0,4:0,5:0,6:0,7:0,8:0,9:0,10:0,11:0,12:0,13:0,14:0";
constexpr std::string_view kBuiltInLow = "0:0,1:4,2:4,3:4,4:4,5:4,6:4,7:4,8:4,9:4,10:4,11:4,12:4,13:4,14:4";
constexpr std::string_view kBuiltInSl2vl = "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7";

std::string_view bare(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

class OpensmOptionsReader {
 public:
  explicit OpensmOptionsReader(Report& report) : report_(report) {}
  OpensmOptions read(std::string_view text);

 private:
  struct Setting {
    int line = 0;
    std::string_view value;
  };

  void take(int line, std::string_view text);
  std::string meaning(const Setting& setting, std::string_view name);
  std::string table_meaning(const Setting& setting, const PortKind& kind, std::string_view field);
  /// The value that counts for a kind: its own, the general one, the built-in one.
  Setting value_of(const PortKind& kind, std::string_view field, std::string_view built_in) const;
  TypedTable table_of(const PortKind& kind);
  std::vector<std::string_view> items(const Setting& setting, std::size_t most);
  std::vector<ArbEntry> entries(const Setting& setting);
  void problem(const Setting& setting, std::string text) {
    // Several kinds may have one line's value.
    if (told_.insert(setting.line).second) report_.problem({setting.line, 1}, std::move(text));
  }

  Report& report_;
  std::map<std::string_view, Setting> set_;
  std::vector<std::pair<int, std::string_view>> order_;  // line and name
  std::set<int> told_;
};

void OpensmOptionsReader::take(int line, std::string_view text) {
  text = bare(text);
  if (text.empty() || text.front() == '#') return;
  const std::size_t end = std::min(text.find_first_of(kBlanks), text.size());
  std::string_view value = bare(text.substr(end));
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
    value = value.substr(1, value.size() - 2);
  if (value == "(null)") value = {};
  set_[text.substr(0, end)] = {line, value};
  order_.emplace_back(line, text.substr(0, end));
}

OpensmOptionsReader::Setting OpensmOptionsReader::value_of(const PortKind& kind, std::string_view field,
                                                           std::string_view built_in) const {
  for (const std::string_view infix : {kind.infix, kGeneral.infix}) {
    const auto found = set_.find(fmt::format("qos_{}{}", infix, field));
    if (found != set_.end() && !found->second.value.empty() && found->second.value != "-1")
      return found->second;
  }
  return {0, built_in};
}

std::vector<std::string_view> OpensmOptionsReader::items(const Setting& setting, std::size_t most) {
  std::vector<std::string_view> found;
  for (std::string_view rest = setting.value; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    found.push_back(bare(rest.substr(0, comma)));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  if (found.size() <= most) return found;
  problem(setting, fmt::format("expects at most {} entries, not {}", most, found.size()));
  return {};
}

std::vector<ArbEntry> OpensmOptionsReader::entries(const Setting& setting) {
  std::vector<ArbEntry> table;
  for (const std::string_view item : items(setting, kMostEntries)) {
    const std::size_t colon = std::min(item.find(':'), item.size());
    const auto vl = number_from(bare(item.substr(0, colon)));
    const auto weight = number_from(bare(item.substr(std::min(colon + 1, item.size()))));
    if (vl && *vl <= 14 && weight && *weight <= 255)
      table.push_back({static_cast<Vl>(*vl), static_cast<std::uint8_t>(*weight)});
    else
      problem(setting, fmt::format("expects VL:WEIGHT, 0 to 14 and 0 to 255, not {}", in_quotes(item)));
  }
  return table;
}

TypedTable OpensmOptionsReader::table_of(const PortKind& kind) {
  TypedTable table;
  table.arbitration.high = entries(value_of(kind, "vlarb_high", kBuiltInHigh));
  table.arbitration.low = entries(value_of(kind, "vlarb_low", kBuiltInLow));
  const Setting limit = value_of(kind, "high_limit", "0");
  const auto number = number_from(limit.value);
  if (number && *number <= 255)
    table.arbitration.high_limit = static_cast<std::uint8_t>(*number);
  else
    problem(limit, fmt::format("expects a number from 0 to 255, or -1, not {}", in_quotes(limit.value)));
  const Setting lanes = value_of(kind, "sl2vl", kBuiltInSl2vl);
  const std::vector<std::string_view> list = items(lanes, table.sl2vl.size());
  for (std::size_t sl = 0; sl < list.size(); ++sl) {
    const auto vl = number_from(list[sl]);
    if (vl && *vl <= 15)
      table.sl2vl[sl] = static_cast<Vl>(*vl);
    else
      problem(lanes, fmt::format("expects VLs from 0 to 15, not {}", in_quotes(list[sl])));
  }
  return table;
}

std::string OpensmOptionsReader::table_meaning(const Setting& setting, const PortKind& kind,
                                               std::string_view field) {
  if (field == "max_vls")
    return "no effect, as in OpenSM, which reads it and never uses it; links.max_vls limits lanes";
  const bool unset = setting.value.empty() || setting.value == "-1";
  if (unset)
    return kind.infix.empty() ? "not set: OpenSM's built-in value counts"
                              : fmt::format("not set: qos_{} counts", field);
  if (kind.section.empty())
    return "no effect: what a switch itself sends leaves by its external ports, whose tables it takes "
           "(qos_swe_*); OpenSM writes a table for a way from port 0 to port 0, which no packet takes";
  const std::string_view ours = field == "vlarb_high" ? "high" : field == "vlarb_low" ? "low" : field;
  return fmt::format("{}.{}", kind.section, ours);
}

std::string OpensmOptionsReader::meaning(const Setting& setting, std::string_view name) {
  if (const Setting& last = set_[name]; last.line != setting.line)
    return fmt::format("no effect: line {} sets it again", last.line);
  if (name == "qos")
    return setting.value == "TRUE"
               ? "qos.tables below stands for it"
               : "OpenSM writes no SL2VL and VL arbitration tables, unless it is run with -Q";
  if (name == "qos_policy_file")
    return setting.value.empty() ? "not set" : "qos.opensm_file; or levels and rules, by --qos-policy";
  if (name == "use_optimized_slvl")
    return "always so here: a switch that takes many ports at once gets one Set for them";
  if (name == "suppress_sl2vl_mad_status_errors") return "no effect: it is about OpenSM's log";
  for (const PortKind& kind : kPortKinds)
    for (const std::string_view field : kFields)
      if (name == fmt::format("qos_{}{}", kind.infix, field)) return table_meaning(setting, kind, field);
  if (name.starts_with("qos_")) return "unknown to OpenSM 3.3, which overlooks it";
  for (const Key& key : schema())
    if (!key.opensm.empty() && key.opensm == name) return fmt::format("see {}", key.path);
  return {};
}

OpensmOptions OpensmOptionsReader::read(std::string_view text) {
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = text.find('\n');
    take(line, text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  OpensmOptions options;
  for (const auto& [line, name] : order_) {
    Setting setting = set_[name];
    const bool counts = setting.line == line;
    if (!counts) setting = {line, {}};
    const std::string became = meaning(setting, name);
    if (became.empty())
      options.others.emplace_back(name);
    else
      options.lines.push_back(
          {line, counts ? fmt::format("{} {}", name, setting.value) : std::string(name), became});
  }
  const auto on = set_.find("qos");
  options.on = on != set_.end() && on->second.value == "TRUE";
  if (const auto file = set_.find("qos_policy_file"); file != set_.end())
    options.policy_file = file->second.value;
  options.tables.hosts = table_of(kPortKinds[0]);
  options.tables.routers = table_of(kPortKinds[1]);
  options.tables.switches = table_of(kPortKinds[2]);
  return options;
}

}  // namespace

OpensmOptions read_opensm_options(std::string_view text, Report& report) {
  const Remarks remarks = check_text(text);
  for (const Remark& remark : remarks) report.problem(remark.place, remark.text);
  if (!remarks.empty()) return {};
  return OpensmOptionsReader(report).read(text);
}

}  // namespace weft::config
