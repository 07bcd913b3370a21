#include "config/opensm_import.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/trim.h"
#include "base/units.h"
#include "config/opensm_options.h"
#include "config/opensm_partitions.h"
#include "config/opensm_qos.h"
#include "config/opensm_table.h"
#include "config/parse.h"
#include "config/partition_types.h"
#include "config/qos_tables.h"
#include "config/qos_types.h"
#include "config/read.h"
#include "config/schema.h"
#include "config/text_check.h"

namespace weft::config {
namespace {

constexpr OpensmPlace kPlaces[] = {
    {OpensmRole::partitions, "partition_config_file", "partitions.conf", false},
    {OpensmRole::qos_policy, "qos_policy_file", "qos-policy.conf", false},
    {OpensmRole::guid2lid, "", "guid2lid", true},
    {OpensmRole::guid2mkey, "", "guid2mkey", true},
    {OpensmRole::sa_dump, "sa_db_file", "opensm-sa.dump", true},
    {OpensmRole::roots, "root_guid_file", "", false},
    {OpensmRole::compute_nodes, "cn_guid_file", "", false},
    {OpensmRole::io_nodes, "io_guid_file", "", false},
    {OpensmRole::names, "node_name_map_name", "", false},
    {OpensmRole::prefix_routes, "prefix_routes_file", "prefix-routes.conf", false},
};

/// One line of opensm.conf.
struct Option {
  int line = 0;
  std::string_view name;
  std::string_view value;  ///< Empty for "(null)".
};

std::vector<Option> options_in(std::string_view text) {
  std::vector<Option> options;
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view all = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (all.empty() || all.starts_with('#')) continue;
    const std::size_t blank = std::min(all.find_first_of(" \t"), all.size());
    std::string_view value = trimmed(all.substr(blank));
    if (value.size() >= 2 && value.starts_with('"') && value.ends_with('"'))
      value = value.substr(1, value.size() - 2);
    options.push_back({line, all.substr(0, blank), value == "(null)" ? std::string_view() : value});
  }
  return options;
}

bool about_qos(std::string_view name) {
  return name.starts_with("qos_") || name == "qos" || name == "suppress_sl2vl_mad_status_errors";
}

struct Outcome {
  Fate fate = Fate::dropped;
  std::string became;
};

class OpensmImporter {
 public:
  OpensmImporter(std::span<const OpensmFile> files, Report& report) : files_(files), report_(report) {}
  OpensmImport run();

 private:
  const OpensmFile* file(OpensmRole role) const {
    const auto found = std::ranges::find(files_, role, &OpensmFile::role);
    return found == files_.end() ? nullptr : &*found;
  }
  /// What counts of an option; OpenSM's own value without it.
  std::string_view value(std::string_view name) const;
  /// Puts a key into the configuration, unless its value is the default one.
  Outcome put(std::string_view key, std::string_view value, std::string source);

  void read_options(const OpensmFile& file);
  Outcome outcome(const Option& option, std::string source);
  Outcome special(const OpensmOption& known, const Option& option, const std::string& source, bool& taken);
  Outcome named_file(const OpensmPlace& place, const Option& option) const;
  Outcome engines(std::string_view value, const std::string& source);
  void read_qos_options(const OpensmFile& file);
  void own_values();
  void read_partitions(const OpensmFile& file);
  void read_qos_policy(const OpensmFile& file);
  /// A row for every line that says something; `became` by line, where it is not the one before it.
  void rows(const OpensmFile& file, const std::map<int, std::string>& became, std::string first,
            std::span<const std::string> notes);
  void read_lists();
  void write();
  void make_lines_showable();

  struct Written {
    std::string value;
    std::string source;
  };
  std::span<const OpensmFile> files_;
  Report& report_;
  OpensmImport import_;
  std::vector<Option> options_;
  std::map<std::string_view, Option> last_;
  std::map<std::string, Written, std::less<>> written_;
};

std::string_view OpensmImporter::value(std::string_view name) const {
  const auto found = last_.find(name);
  if (found != last_.end()) return found->second.value;
  const OpensmOption* known = find_opensm_option(name);
  return known == nullptr ? std::string_view() : known->built_in;
}

Outcome OpensmImporter::put(std::string_view path, std::string_view value, std::string source) {
  const Key& key = *find_key(path);
  Parsed parsed{Value{Value::Kind::text, {}, std::string(value), {}}, {}};
  if (value.starts_with('[') || value.starts_with('{')) parsed = parse_yaml(value);
  Settings settings;
  Report report;
  key.read(parsed.root, settings, report);
  if (report.problem_count > 0) return {Fate::dropped, fmt::format("{}: {}", path, report.problems.front())};
  const std::string shown = key.show(settings);
  if (shown == key.default_text) return {Fate::default_, fmt::format("as Weft does without {}", path)};
  written_[std::string(path)] = {shown, std::move(source)};
  if (key.secret) return {Fate::mapped, std::string(path)};
  return {Fate::mapped, fmt::format("{}: {}", path, shown)};
}

/// The option that names a file: what is in the file is told line by line.
Outcome OpensmImporter::named_file(const OpensmPlace& place, const Option& option) const {
  if (option.value.empty()) return {Fate::default_, "not set"};
  if (const OpensmFile* read = file(place.role)) {
    const bool used = place.role != OpensmRole::compute_nodes && place.role != OpensmRole::prefix_routes &&
                      (place.role != OpensmRole::qos_policy || value("qos") == "TRUE");
    return {used ? Fate::mapped : Fate::dropped,
            fmt::format("{} {}", read->name, used ? "is read" : "has no counterpart, as told line by line")};
  }
  const bool needed = place.usual.empty() || place.cached;  // of what OpenSM keeps it is told where it is
  return {needed ? Fate::dropped : Fate::default_,
          needed ? "this file is not there" : "there is no such file, and OpenSM does without it"};
}

Outcome OpensmImporter::engines(std::string_view value, const std::string& source) {
  const OpensmEngines engines = opensm_engines(value);
  const std::string without =
      engines.without.empty() ? "" : fmt::format("; nothing stands for {}", engines.without);
  if (engines.last) (void)put("routing.on_failure", "keep-last", source);
  if (engines.ours.empty()) {
    std::string why{find_opensm_option("routing_engine")->why};
    if (engines.last) return {Fate::mapped, "routing.on_failure: keep-last; " + why + without};
    return {engines.without.empty() ? Fate::default_ : Fate::dropped, why + without};
  }
  Outcome outcome = put("routing.engine", engines.ours, source);
  if (engines.last) outcome.became += ", routing.on_failure: keep-last";
  outcome.became += without;
  return outcome;
}

/// Options of which no single key is made.
Outcome OpensmImporter::special(const OpensmOption& known, const Option& option, const std::string& source,
                                bool& taken) {
  taken = true;
  for (const OpensmPlace& place : kPlaces)
    if (place.option == known.name) return named_file(place, option);
  if (known.name == "routing_engine") return engines(option.value, source);
  const bool keyed = !same_opensm_value(value("m_key"), "0");
  if (known.name == "m_key" && keyed) {
    const auto key = opensm_number(option.value);
    if (!key) return {Fate::dropped, "expects a 64-bit key"};
    import_.m_keys = fmt::format("0x{:016x}\n", *key);
    return put("m_key.file", "m_keys", source);
  }
  if (known.name.starts_with("m_key_") && known.name != "m_key_lookup") {
    if (!keyed) return {Fate::default_, "without m_key, M_Keys are left as they are"};
    const auto number = opensm_number(option.value);
    return put(known.key, number ? fmt::format("{}", *number) : std::string(option.value), source);
  }
  if (known.name == "perfmgr" && option.value == "TRUE") {
    return put("link_health.counters.interval", fmt::format("{}s", value("perfmgr_sweep_time_s")), source);
  }
  if (known.name == "perfmgr_sweep_time_s" && value("perfmgr") == "TRUE")
    return {Fate::mapped, "link_health.counters.interval"};
  if (known.name == "guid" && same_opensm_value(option.value, "0"))
    return {Fate::default_, std::string(known.why)};
  taken = false;
  return {};
}

Outcome OpensmImporter::outcome(const Option& option, std::string source) {
  const OpensmOption* known = find_opensm_option(option.name);
  if (known == nullptr) return {Fate::dropped, "unknown to OpenSM 3.3, which overlooks it"};
  if (const Option& last = last_.at(option.name); last.line != option.line)
    return {Fate::dropped, fmt::format("line {} sets it again", last.line)};
  bool taken = false;
  Outcome outcome = special(*known, option, source, taken);
  if (taken) return outcome;
  const bool own = same_opensm_value(option.value, known->built_in);
  if (own && known->ours) {
    return {Fate::default_, fmt::format("OpenSM's own value; Weft's is {}: {}", known->key,
                                        find_key(known->key)->default_text)};
  }
  const bool done = own || (!known->does.empty() && option.value == known->does);
  if (known->key.empty() || (own && option.value.empty()))
    return {done ? Fate::default_ : Fate::dropped, std::string(known->why)};
  const auto value = known->value(option.value);
  if (!value)
    return {own || option.value == "FALSE" ? Fate::default_ : Fate::dropped, std::string(known->why)};
  if (known->name == "no_partition_enforcement" && option.value != "TRUE")
    return {Fate::default_, std::string(known->why)};
  return put(known->key, *value, std::move(source));
}

void OpensmImporter::read_options(const OpensmFile& file) {
  options_ = options_in(file.text);
  for (const Option& option : options_) last_[option.name] = option;
  for (const Option& option : options_) {
    if (about_qos(option.name)) continue;
    const OpensmOption* known = find_opensm_option(option.name);
    const bool secret = known != nullptr && known->secret;
    std::string text = fmt::format("{} {}", option.name, secret ? "***" : option.value);
    Outcome made = outcome(option, fmt::format("{}:{}: {}", file.name, option.line, text));
    import_.lines.push_back({file.name, option.line, std::move(text), made.fate, std::move(made.became)});
  }
  read_qos_options(file);
  std::ranges::sort(import_.lines, {}, &ImportedLine::line);
}

void OpensmImporter::read_qos_options(const OpensmFile& file) {
  report_.source = file.name;
  const OpensmOptions read = read_opensm_options(file.text, report_);
  for (const ReadOption& one : read.lines) {
    const std::string_view name = std::string_view(one.text).substr(0, one.text.find(' '));
    if (!about_qos(name)) continue;
    ImportedLine row{file.name, one.line, one.text, Fate::dropped, one.became};
    if (name == "qos_policy_file") {
      const Outcome made = named_file(kPlaces[1], {one.line, name, read.policy_file});
      row.fate = made.fate;
      row.became = made.became;
    } else if (one.became.starts_with("not set") || (name == "qos" && !read.on)) {
      row.fate = Fate::default_;
    } else if (name == "qos" || (one.became.starts_with("qos.tables") && read.on)) {
      row.fate = Fate::mapped;
    } else if (one.became.starts_with("qos.tables")) {
      row.became = "OpenSM does not use it without `qos TRUE` or -Q";
    } else if (name == "suppress_sl2vl_mad_status_errors" || name.ends_with("max_vls")) {
      row.fate = one.text.ends_with(" FALSE") || one.text.ends_with(" 0") ? Fate::default_ : Fate::dropped;
    }
    import_.lines.push_back(std::move(row));
  }
  if (read.on) written_["qos.tables"] = {typed_tables().show(read.tables), file.name + ": qos_*"};
}

/// Where OpenSM's own value is another than ours, and the file does not say so.
void OpensmImporter::own_values() {
  for (const OpensmOption& known : opensm_table()) {
    if (known.ours || known.key.empty() || known.built_in.empty() || known.value == nullptr) continue;
    if (known.name == "guid" || known.name == "master_sm_priority" || last_.contains(known.name)) continue;
    if (known.name.starts_with("m_key_") || known.name == "no_partition_enforcement") continue;
    if (const auto value = known.value(known.built_in); value && !written_.contains(known.key))
      (void)put(known.key, *value, fmt::format("OpenSM's own value: {} {}", known.name, known.built_in));
  }
}

void OpensmImporter::rows(const OpensmFile& file, const std::map<int, std::string>& became, std::string first,
                          std::span<const std::string> notes) {
  std::string_view text = file.text;
  std::string now = std::move(first);
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view all = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (const auto found = became.find(line); found != became.end()) now = found->second;
    if (all.empty() || all.starts_with('#')) continue;
    ImportedLine row{file.name, line, std::string(all), Fate::mapped, now};
    const std::string place = fmt::format("{}:{}:", file.name, line);
    for (const std::string& note : notes) {
      if (!note.starts_with(place)) continue;
      row.fate = Fate::dropped;
      row.became = note.substr(std::min(note.find(": ") + 2, note.size()));
    }
    import_.lines.push_back(std::move(row));
  }
}

void OpensmImporter::read_partitions(const OpensmFile& file) {
  const bool says_something = !options_in(file.text).empty();
  if (!says_something) return;  // as without the file: all are in the default partition
  report_.source = file.name;
  const std::size_t before = report_.problem_count;
  const std::vector<ReadPartition> all = read_opensm_partitions(file.text, report_);
  if (report_.problem_count > before) return;
  std::map<int, std::string> became;
  for (const ReadPartition& one : all)
    became[one.place.line] = one.merged ? "its key is another's, so its members stand there"
                                        : fmt::format("partitions.define: {}", one.partition.name);
  rows(file, became, "partitions.define", {});
  std::string block;
  for (const ReadPartition& one : merged(all)) {
    const std::string shown = partition_map().show({one.partition});
    block += fmt::format("\n    {}", shown.substr(1, shown.size() - 2));
  }
  if (!block.empty()) written_["partitions.define"] = {block, file.name};
}

void OpensmImporter::read_qos_policy(const OpensmFile& file) {
  if (value("qos") != "TRUE")
    return import_as(file, import_, Fate::dropped, "OpenSM does not use it without `qos TRUE` or -Q");
  Report report{.source = file.name};
  const qos::Policy policy = read_opensm_qos(file.text, report);
  for (std::string& problem : report.problems) report_.problems.push_back(std::move(problem));
  report_.problem_count += report.problem_count;
  if (report.problem_count > 0) return;
  rows(file, {}, "qos.levels and qos.rules", report.notes);
  if (!policy.levels.empty()) written_["qos.levels"] = {level_map().show(policy.levels), file.name};
  if (!policy.rules.empty()) written_["qos.rules"] = {rule_list().show(policy.rules), file.name};
  if (!policy.default_level.empty()) written_["qos.default"] = {yaml_text(policy.default_level), file.name};
}

void OpensmImporter::read_lists() {
  if (const OpensmFile* lids = file(OpensmRole::guid2lid)) import_guid2lid(*lids, import_);
  if (const OpensmFile* keys = file(OpensmRole::guid2mkey)) {
    import_guid2mkey(*keys, import_);
    if (!import_.m_keys.empty() && !written_.contains("m_key.file"))
      (void)put("m_key.file", "m_keys", keys->name);
  }
  if (const OpensmFile* dump = file(OpensmRole::sa_dump)) import_sa_dump(*dump, import_);
  for (const auto& [role, key] :
       {std::pair(OpensmRole::roots, "routing.roots"), std::pair(OpensmRole::io_nodes, "routing.io_nodes")}) {
    const OpensmFile* list = file(role);
    const std::string guids = list == nullptr ? std::string() : import_guids(*list, import_, key);
    if (!guids.empty()) (void)put(key, guids, list->name);
  }
  if (const OpensmFile* list = file(OpensmRole::compute_nodes))
    import_as(*list, import_, Fate::dropped, find_opensm_option("cn_guid_file")->why);
  if (const OpensmFile* list = file(OpensmRole::prefix_routes))
    import_as(*list, import_, Fate::dropped, find_opensm_option("prefix_routes_file")->why);
  if (const OpensmFile* map = file(OpensmRole::names)) import_names(*map, import_);
  if (!import_.names.empty()) (void)put("names_file", "node-name-map", file(OpensmRole::names)->name);
}

void OpensmImporter::write() {
  std::string& yaml = import_.yaml;
  yaml = "# weft.yaml, made of an OpenSM set-up by weftctl import opensm.\n";
  std::string section;
  for (const Key& key : schema()) {
    const auto found = written_.find(key.path);
    if (found == written_.end()) continue;
    const std::size_t dot = key.path.rfind('.');
    const std::string here(dot == key.path.npos ? std::string_view() : key.path.substr(0, dot));
    std::size_t depth = 0;
    for (std::size_t at = 0; !here.empty() && at != here.npos; ++depth) {
      const std::size_t end = here.find('.', at);
      const std::string head = here.substr(0, end);
      if (section != head && !section.starts_with(head + "."))
        yaml += fmt::format("{:{}}{}:\n", "", 2 * depth, here.substr(at, end == here.npos ? end : end - at));
      at = end == here.npos ? end : end + 1;
    }
    section = here;
    yaml += fmt::format("{:{}}# {}\n", "", 2 * depth, found->second.source);
    yaml += fmt::format("{:{}}{}:{}{}\n", "", 2 * depth, leaf(key.path),
                        found->second.value.starts_with('\n') ? "" : " ", found->second.value);
  }
}

/// Other hosts and people elsewhere have chosen the bytes, and a terminal obeys some.
void OpensmImporter::make_lines_showable() {
  for (ImportedLine& line : import_.lines) {
    line.text = shown_text(line.text);
    line.became = shown_text(line.became);
  }
}

OpensmImport OpensmImporter::run() {
  for (const OpensmFile& one : files_) {
    if (one.role == OpensmRole::sa_dump) continue;  // any host may name a service in bytes that are no text
    report_.source = one.name;
    const Remarks remarks = check_text(one.text);
    for (const Remark& remark : remarks) report_.problem(remark.place, remark.text);
  }
  if (report_.problem_count > 0) return {};
  if (const OpensmFile* options = file(OpensmRole::options)) read_options(*options);
  own_values();
  if (const OpensmFile* partitions = file(OpensmRole::partitions)) read_partitions(*partitions);
  if (const OpensmFile* policy = file(OpensmRole::qos_policy)) read_qos_policy(*policy);
  read_lists();
  make_lines_showable();
  write();
  if (report_.problem_count > 0) return std::move(import_);
  // What was made must be a configuration; names of partitions and levels are asked for here, too.
  if (const auto read = read_text(import_.yaml, "weft.yaml"); !read)
    report_.problem({}, fmt::format("no configuration comes of these files: {}", read.error().what));
  return std::move(import_);
}

}  // namespace

std::span<const OpensmPlace> opensm_places() { return kPlaces; }

std::string opensm_value(std::string_view options_text, std::string_view name) {
  std::string value;
  for (const Option& option : options_in(options_text))
    if (option.name == name) value = option.value;
  return value;
}

std::string_view name(Fate fate) {
  switch (fate) {
    case Fate::mapped:
      return "mapped";
    case Fate::default_:
      return "default";
    case Fate::dropped:
      break;
  }
  return "dropped";
}

OpensmImport import_opensm(std::span<const OpensmFile> files, Report& report) {
  return OpensmImporter(files, report).run();
}

}  // namespace weft::config
