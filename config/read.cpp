#include "config/read.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/units.h"
#include "base/words.h"
#include "config/file.h"
#include "config/listen.h"
#include "config/m_keys_file.h"
#include "config/names_file.h"
#include "config/once.h"
#include "config/opensm_partitions.h"
#include "config/opensm_qos.h"
#include "config/parse.h"
#include "config/partition_types.h"
#include "config/reading.h"
#include "partitions/pkey.h"
#include "topology/load.h"

namespace weft::config {
namespace {

/// "sweep: { interval: ... }" for "sweep.interval".
std::string nested(std::string_view path) {
  std::string text;
  std::string end;
  for (const char c : path) {
    if (c == '.') {
      text += ": { ";
      end += " }";
    } else {
      text += c;
    }
  }
  return text + ": ..." + end;
}

/// What a value is, without what it says.
std::string kind_of(const Value& value) {
  return value.kind == Value::Kind::text ? "a text" : describe(value);
}

/// What a remark quotes is left out: it may be a secret.
std::string without_quotes(std::string_view text) {
  std::string shown;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
      if (quoted) shown += "(not shown)";
    } else if (!quoted) {
      shown += text[i];
    }
  }
  return shown;
}

}  // namespace

void Reading::read_value(const Key& key, const Value& value, Place place) {
  report.subject = key.path;
  const std::size_t problems = report.problems.size();
  std::erase_if(report.mentions, [&key](const Report::Mention& one) { return one.subject == key.path; });
  key.read(value, loaded.settings, report);
  if (key.secret)
    for (std::size_t i = problems; i < report.problems.size(); ++i)
      report.problems[i] = without_quotes(report.problems[i]);
  report.subject.clear();
  Origin here = origin;
  here.place = place;
  loaded.origins.insert_or_assign(std::string(key.path), std::move(here));
  if (key.path == "subnets") entries = value;
}

void Reading::read_entry(const Value& name, const Value& value, const std::string& section) {
  const std::string path = section.empty() ? name.text : fmt::format("{}.{}", section, name.text);
  if (name.text.find('.') != name.text.npos && (find_key(path) || is_section(path))) {
    return report.problem(name.place, fmt::format("write {} as {}", in_quotes(name.text), nested(name.text)));
  }

  if (const Key* key = find_key(path)) return read_value(*key, value, name.place);
  if (is_section(path)) {
    if (value.kind == Value::Kind::null) return;  // all its keys are commented out
    if (value.kind == Value::Kind::map) return read_section(value, path);
    return report.problem(value.place,
                          fmt::format("{}: expects a map of keys, not {}", path, kind_of(value)));  // it may be a secret

  }
  const std::string meant = suggestion(section, name.text);
  report.problem(name.place, fmt::format("unknown key {}{}", in_quotes(path),
                                         meant.empty() ? "" : fmt::format("; did you mean {}?", meant)));
}

void Reading::read_section(const Value& map, const std::string& section) {
  Once once;
  for (std::size_t i = 0; i + 1 < map.children.size(); i += 2) {
    const Value& name = map.children[i];
    if (name.kind != Value::Kind::text) {
      report.problem(name.place, fmt::format("expects the name of a key, not {}", describe(name)));
      continue;
    }
    if (once.take(name.text, name.place, report, in_quotes(name.text)))
      read_entry(name, map.children[i + 1], section);
  }
}

void Reading::read_yaml(std::string_view yaml) {
  Parsed parsed = parse_yaml(yaml);
  for (Remark& remark : parsed.problems) report.problem(remark.place, std::move(remark.text));
  if (!parsed.problems.empty() || parsed.root.kind == Value::Kind::null) return;
  root = std::move(parsed.root);
  if (root.kind == Value::Kind::map) return read_section(root, {});
  report.problem(root.place, fmt::format("expects a map of keys, not {}", describe(root)));
}

void Reading::read_overrides(std::span<const Override> options) {
  origin = {Origin::Kind::command_line, {}, {}};
  report.source = "command line";
  for (const Override& option : options) read_override(option);
}

void Reading::read_override(const Override& option) {
  const Key* key = find_key(option.key);
  if (!key) {
    const std::string meant = suggestion({}, option.key);
    return report.problem({}, fmt::format("unknown key {}{}", in_quotes(option.key),
                                          meant.empty() ? "" : fmt::format("; did you mean {}?", meant)));
  }
  Parsed parsed{Value{Value::Kind::text, {}, option.value, {}}, {}};
  if (option.value.starts_with('[') || option.value.starts_with('{')) parsed = parse_yaml(option.value);
  for (Remark& remark : parsed.problems) report.problem({}, fmt::format("{}: {}", key->path, remark.text));
  if (parsed.problems.empty()) read_value(*key, parsed.root, {});
}

void Reading::problem_with(std::string_view key, std::string text) {
  const Origin where = origin_of(loaded, key);
  report.source = to_string(Origin{where.kind, where.file, {}});
  report.problem(where.place, fmt::format("{}: {}", key, text));
}

void Reading::check_whole() {
  const Settings& settings = loaded.settings;
  const PortChoice& port = settings.transport.port;
  if (port.guid && (!port.device.empty() || port.number)) {
    problem_with("port.guid", "names the port already; leave port.device and port.port out");
  }
  if (settings.sweep.debounce > settings.sweep.debounce_max) {
    problem_with(
        loaded.origins.contains("sweep.debounce") ? "sweep.debounce" : "sweep.debounce_max",
        fmt::format("sweep.debounce ({}) is longer than sweep.debounce_max ({})",
                    duration_text(settings.sweep.debounce), duration_text(settings.sweep.debounce_max)));
  }
  if (settings.smp.per_node > settings.smp.window) {
    problem_with(loaded.origins.contains("smp.per_node") ? "smp.per_node" : "smp.window",
                 fmt::format("smp.per_node ({}) is more than smp.window ({})", settings.smp.per_node,
                             settings.smp.window));
  }
  const mad::MKeys& m_keys = settings.m_key.keys;
  if (m_keys.per_device && m_keys.protect > 1) {
    problem_with(
        loaded.origins.contains("m_key.protect") ? "m_key.protect" : "m_key.per_device",
        "at 2 and 3 a device says who it is only to who shows its key, and with m_key.per_device that "
        "depends on who it is: take 1 at most, or one key for all");
  }
  check_tcp();
  if (settings.transport.kind == TransportKind::sim && settings.transport.sim_fabric.empty()) {
    problem_with("transport.kind", "sim needs transport.sim.fabric, a file or a blueprint");
  }
}

/// Nobody on the network reads along, and nobody changes anything without a token.
void Reading::check_tcp() {
  const ControlTcpSettings& tcp = loaded.settings.control.tcp;
  const bool tls = !tcp.cert.empty();
  if (tls != !tcp.key.empty())
    problem_with(tls ? "control.tcp.tls.cert" : "control.tcp.tls.key",
                 "control.tcp.tls.cert and control.tcp.tls.key need each other");
  if (tcp.listen.empty()) return;
  const Result<Listen> listen = listen_from(tcp.listen);
  if (!listen) return problem_with("control.tcp.listen", listen.error().what);
  if (!listen->loopback && !tls)
    problem_with(
        "control.tcp.listen",
        "others can read along at this address: set control.tcp.tls.cert and control.tcp.tls.key, or "
        "listen at 127.0.0.1");
  if (!listen->loopback && tcp.open_reading)
    problem_with("control.tcp.open_reading", "is for loopback only: take it out, or listen at 127.0.0.1");
  if (tcp.read_token_file.empty() && tcp.write_token_file.empty() && !tcp.open_reading)
    problem_with("control.tcp.listen",
                 "nobody could read anything: set control.tcp.read_token_file, or on loopback "
                 "control.tcp.open_reading");
}

/// Levels and partitions that are spoken of, wherever that is: to be asked when all files are read.
void Reading::check_mentions() {
  using What = Report::Mention::What;
  const plan::Config& plan = loaded.settings.plan;
  std::vector<std::string> levels;
  for (const qos::Level& level : plan.qos.levels) levels.push_back(level.name);
  std::vector<std::string> partitions;
  bool implied = true;
  for (const partitions::Partition& one : plan.partitions.partitions) {
    partitions.push_back(one.name);
    implied = implied && one.key != raw(partitions::kDefaultPkey) % 0x8000;
  }
  if (implied) partitions.emplace_back("default");
  const auto unknown = [&](What what, const std::string& name) -> std::optional<std::string> {
    const std::vector<std::string>& names = what == What::level ? levels : partitions;
    if (std::ranges::find(names, name) != names.end()) return std::nullopt;
    const std::string_view near = nearest(name, names);
    return fmt::format("there is no {} {}{}", what == What::level ? "level" : "partition", in_quotes(name),
                       near.empty() ? "" : fmt::format("; did you mean {}?", near));
  };
  for (const Report::Mention& mention : report.mentions) {
    const auto why = unknown(mention.what, mention.name);
    if (!why) continue;
    report.source = mention.source;
    report.subject = mention.subject;
    report.problem(mention.place, *why);
  }
  report.subject.clear();
  if (const std::string& name = plan.qos.default_level; !name.empty())
    if (const auto why = unknown(What::level, name)) problem_with("qos.default", *why);
  if (plan.qos.tables) check_tables();
}

/// Typed tables beside what else is set.
void Reading::check_tables() {
  const plan::Config& plan = loaded.settings.plan;
  const qos::TypedTables& tables = *plan.qos.tables;
  const auto dropped = [&tables](Sl sl) {
    return std::ranges::any_of(std::array{&tables.hosts, &tables.routers, &tables.switches},
                               [sl](const qos::TypedTable* one) { return one->sl2vl[raw(sl)] == Vl{15}; });
  };
  if (dropped(plan.subnet.sm_sl))
    problem_with("qos.tables",
                 fmt::format("SL {} is dropped (VL 15), and ports reach the subnet manager by it "
                             "(subnet.sm_sl)",
                             raw(plan.subnet.sm_sl)));
  for (const qos::Level& level : plan.qos.levels) {
    if (level.sl && dropped(*level.sl))
      problem_with("qos.tables", fmt::format("SL {} is dropped (VL 15), and level {} has it", raw(*level.sl),
                                             in_quotes(level.name)));
    if (level.weight == 1 && !level.strict) continue;
    const Origin where = origin_of(loaded, "qos.levels");
    report.source = to_string(Origin{where.kind, where.file, {}});
    report.note(where.place,
                fmt::format("qos.levels: weight and priority of {} have no effect beside qos.tables",
                            in_quotes(level.name)));
  }
}

namespace {

/// A path beside the configuration file, unless it begins at the root.
std::string beside(const std::string& config_path, std::string path) {
  const std::size_t slash = config_path.rfind('/');
  if (path.starts_with('/') || slash == config_path.npos) return path;
  return config_path.substr(0, slash + 1) + path;
}

}  // namespace

void Reading::read_files(const std::string& config_path) {
  read_partition_files(config_path);
  read_qos_file(config_path);
  read_names_file(config_path);
  read_m_keys_file(config_path);
  check_control_files();
  read_expected_file(config_path);
  Settings& settings = loaded.settings;
  read_sm_key_file(config_path, "manager.sm_key", settings.manager.sm_key_file, settings.manager.sm_key);
  read_sm_key_file(config_path, "sa.sm_key", settings.sa.sm_key_file, settings.sa.sm_key);
}

/// All or nothing, as everything: a bad file leaves nothing of any of them.
void Reading::read_partition_files(const std::string& config_path) {
  Settings& settings = loaded.settings;
  if (settings.partition_files.empty() && settings.opensm_partitions.empty()) return;
  static const auto type = partition_map();
  PartitionList all;
  for (partitions::Partition& one : settings.plan.partitions.partitions) all.add(std::move(one), {}, report);
  for (const std::string& file : settings.partition_files) {
    const std::string path = beside(config_path, file);
    const Result<std::string> text = slurp(path);
    if (!text) {
      problem_with("partitions.include", text.error().what);
      continue;
    }
    report.source = path;
    Parsed parsed = parse_yaml(*text);
    for (Remark& remark : parsed.problems) report.problem(remark.place, std::move(remark.text));
    if (!parsed.problems.empty()) continue;
    // Another file by mistake may hold anything: nothing of it is shown.
    if (parsed.root.kind != Value::Kind::map && parsed.root.kind != Value::Kind::null) {
      report.problem(parsed.root.place, fmt::format("expects a map of partitions, not {}", kind_of(parsed.root)));
      continue;
    }
    const auto more = type.read(parsed.root, report);
    for (std::size_t i = 0; more && i < more->size(); ++i)
      all.add((*more)[i], parsed.root.children[2 * i].place, report);
  }
  if (!settings.opensm_partitions.empty()) {
    const std::string path = beside(config_path, settings.opensm_partitions);
    const Result<std::string> text = slurp(path);
    if (!text) return problem_with("partitions.opensm_file", text.error().what);
    report.source = path;
    for (ReadPartition& one : merged(read_opensm_partitions(*text, report)))
      all.add(std::move(one.partition), one.place, report);
  }
  settings.plan.partitions.partitions = std::move(all).take();
}

void Reading::read_qos_file(const std::string& config_path) {
  if (loaded.settings.opensm_qos.empty()) return;
  qos::Policy& policy = loaded.settings.plan.qos;
  if (!policy.levels.empty() || !policy.rules.empty())
    return problem_with("qos.opensm_file",
                        "there are levels or rules in the configuration too; keep one of both");
  const std::string path = beside(config_path, loaded.settings.opensm_qos);
  const Result<std::string> text = slurp(path);
  if (!text) return problem_with("qos.opensm_file", text.error().what);
  report.source = path;
  policy = read_opensm_qos(*text, report);
}

void Reading::read_names_file(const std::string& config_path) {
  std::string path = loaded.settings.names_file;
  if (path.empty()) return;
  path = beside(config_path, std::move(path));
  const Result<std::string> text = slurp(path);
  if (!text) return problem_with("names_file", text.error().what);
  report.source = path;
  // `names` of the configuration wins: merge leaves what is there.
  loaded.settings.plan.names.merge(read_names(*text, report));
  loaded.origins.emplace("names", Origin{Origin::Kind::file, path, {}});
}

void Reading::read_expected_file(const std::string& config_path) {
  const std::string& file = loaded.settings.expected_file;
  if (file.empty()) return;
  const std::string path = beside(config_path, file);
  const Result<std::string> text = slurp(path);
  if (!text) return problem_with("fabric.expected", text.error().what);
  Result<topology::Topology> topology = topology::read_text(*text, path);
  if (!topology) return problem_with("fabric.expected", topology.error().what);
  loaded.settings.expected = std::make_shared<const topology::Topology>(std::move(*topology));
}

void Reading::read_m_keys_file(const std::string& config_path) {
  MKeySettings& m_key = loaded.settings.m_key;
  if (m_key.file.empty()) return;
  const std::string path = beside(config_path, m_key.file);
  if (std::string why = why_not_private(path); !why.empty())
    return problem_with("m_key.file", std::move(why));
  const Result<std::string> text = slurp(path);
  if (!text) return problem_with("m_key.file", text.error().what);
  report.source = path;
  m_key.keys.keys = read_m_keys(*text, report);
}

/// A key that stands in a file of its own, and not in the configuration, too.
void Reading::read_sm_key_file(const std::string& config_path, std::string_view key, const std::string& file,
                               std::uint64_t& target) {
  if (file.empty()) return;
  const std::string of_file = fmt::format("{}_file", key);
  if (loaded.origins.contains(key))
    return problem_with(of_file, fmt::format("{} is given, too; keep one of both", key));
  const std::string path = beside(config_path, file);
  if (std::string why = why_not_private(path); !why.empty()) return problem_with(of_file, std::move(why));
  const Result<std::string> text = slurp(path);
  if (!text) return problem_with(of_file, text.error().what);
  report.source = path;
  if (const auto read = read_one_key(*text, report)) target = *read;
}

/// Files of secrets that others can read are secret no longer.
void Reading::check_control_files() {
  const ControlTcpSettings& tcp = loaded.settings.control.tcp;
  const auto check = [&](const char* key, const std::string& file, bool secret) {
    if (file.empty()) return;
    if (std::string why = why_not_private(file); secret && !why.empty())
      return problem_with(key, std::move(why));
    if (const Result<std::string> text = slurp(file); !text) problem_with(key, text.error().what);
  };
  check("control.tcp.tls.cert", tcp.cert, false);
  check("control.tcp.tls.key", tcp.key, true);
  check("control.tcp.read_token_file", tcp.read_token_file, true);
  check("control.tcp.write_token_file", tcp.write_token_file, true);
}

Result<Loaded> Reading::result() && {
  if (report.problem_count == 0) {
    loaded.notes = std::move(report.notes);
    return std::move(loaded);
  }
  std::string text = fmt::format("{}", fmt::join(report.problems, "\n"));
  if (report.problem_count > report.problems.size()) {
    text += fmt::format("\nand {} more problems", report.problem_count - report.problems.size());
  }
  return fail({Errc::invalid, std::move(text)});
}

namespace {

Reading read(std::string_view yaml, std::string_view file_name, std::span<const Override> command_line) {
  Reading reading;
  reading.config_file = file_name;
  reading.begin_file();
  reading.read_yaml(yaml);
  reading.read_overrides(command_line);
  // What several subnets have in common need not be whole: each of them is.
  if (reading.report.problem_count == 0 && !reading.has_subnets()) reading.check_whole();
  return reading;
}

/// A name such as editors and package managers give to copies they put aside.
bool looks_put_aside(std::string_view path) {
  for (const std::string_view end :
       {"~", ".bak", ".orig", ".old", ".rpmsave", ".rpmnew", ".rpmorig", ".dpkg-old", ".dpkg-dist",
        ".dpkg-new", ".ucf-old", ".ucf-dist", ".swp"}) {
    if (path.ends_with(end)) return true;
  }
  return false;
}

}  // namespace

Origin origin_of(const Loaded& loaded, std::string_view key) {
  const auto found = loaded.origins.find(key);
  return found == loaded.origins.end() ? Origin{} : found->second;
}

std::string to_string(const Origin& origin) {
  switch (origin.kind) {
    case Origin::Kind::default_:
      return "default";
    case Origin::Kind::command_line:
      return "command line";
    case Origin::Kind::file:
      break;
  }
  return origin.place.line == 0 ? origin.file : fmt::format("{}:{}", origin.file, origin.place.line);
}

Result<Loaded> read_text(std::string_view yaml, std::string_view file_name,
                         std::span<const Override> command_line) {
  Reading reading = read(yaml, file_name, command_line);
  if (!reading.has_subnets()) reading.check_mentions();
  reading.read_subnets({}, command_line);
  return std::move(reading).result();
}

Result<Loaded> read_file(const std::string& path, std::span<const Override> command_line) {
  const Result<std::string> text = slurp(path);
  if (!text) return fail(text.error());
  return read_as(path, *text, command_line);
}

Result<Loaded> read_as(const std::string& path, std::string_view yaml,
                       std::span<const Override> command_line) {
  Reading reading = read(yaml, path, command_line);
  if (!reading.has_subnets()) {
    reading.read_files(path);
    reading.check_mentions();
  }
  reading.read_subnets(path, command_line);
  reading.report.source = path;
  if (looks_put_aside(path))
    reading.report.note({}, "the name looks like a copy put aside by an editor or a package");
  reading.loaded.text = yaml;
  return std::move(reading).result();
}

}  // namespace weft::config
