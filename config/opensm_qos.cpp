#include "config/opensm_qos.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/rate.h"
#include "base/trim.h"
#include "base/units.h"
#include "base/words.h"
#include "config/group_fields.h"
#include "config/partition_types.h"
#include "config/qos_types.h"
#include "config/text_check.h"

namespace weft::config {
namespace {

using qos::EndOf;
using qos::Level;
using qos::Range;
using qos::Rule;
using qos::Who;

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(by);
    parts.push_back(trimmed(text.substr(0, at)));
    if (at == text.npos) return parts;
    text.remove_prefix(at + 1);
  }
}

/// One line of the file, without its comment.
struct Line {
  int number = 0;
  std::string_view text;
  std::string_view key;    ///< Before the colon,
  std::string_view value;  ///< and behind it; empty where there is none.
};

class OpensmQos {
 public:
  OpensmQos(std::string_view text, Report& report) : rest_(text), report_(report) {}
  qos::Policy read();

 private:
  std::optional<Line> next();
  void problem(const Line& line, std::string text) { report_.problem({line.number, 1}, std::move(text)); }
  /// Lines up to `end`; each is given to `take`.
  template <typename Take>
  void section(const Line& begin, std::string_view end, Take take);
  void read_ulp(const Line& line);
  void read_group(const Line& begin);
  void read_level(const Line& begin);
  void read_rule(const Line& begin);
  void finish();

  std::vector<Range> ranges(const Line& line, std::string_view text, std::uint64_t most);
  std::vector<Range> partition_numbers(const Line& line);
  std::optional<std::uint64_t> number(const Line& line, std::uint64_t most);
  std::vector<Who> guids(const Line& line, std::string_view text);
  void add_groups(const Line& line, EndOf& end);
  std::string level_for_sl(std::uint8_t sl);

  std::string_view rest_;
  Report& report_;
  int number_ = 0;
  qos::Policy policy_;
  std::vector<Rule> ulp_rules_;
  std::map<std::string, EndOf, std::less<>> groups_;
  std::vector<std::pair<Line, std::string>> levels_named_;  // by rules, to be looked for at the end
};

std::optional<Line> OpensmQos::next() {
  while (!rest_.empty()) {
    const std::size_t end = rest_.find('\n');
    std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
    ++number_;
    text = trimmed(text.substr(0, text.find('#')));
    if (text.empty()) continue;
    const std::size_t colon = text.find(':');
    Line line{.number = number_, .text = text, .key = trimmed(text.substr(0, colon)), .value = {}};
    if (colon != text.npos) line.value = trimmed(text.substr(colon + 1));
    return line;
  }
  return std::nullopt;
}

template <typename Take>
void OpensmQos::section(const Line& begin, std::string_view end, Take take) {
  while (const auto line = next()) {
    if (line->text == end) return;
    take(*line);
  }
  problem(begin, fmt::format("{} has no {}", in_quotes(begin.text), end));
}

std::vector<Range> OpensmQos::ranges(const Line& line, std::string_view text, std::uint64_t most) {
  std::vector<Range> found;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t dash = part.find('-');
    const auto first = number_from(trimmed(part.substr(0, dash)));
    const auto last = dash == part.npos ? first : number_from(trimmed(part.substr(dash + 1)));
    if (first && last && *first <= *last && *last <= most)
      found.push_back({*first, *last});
    else
      problem(line,
              fmt::format("expects numbers up to 0x{:x} or ranges of them, not {}", most, in_quotes(part)));
  }
  return found;
}

/// P_Keys, without the bit that says how somebody is a member.
std::vector<Range> OpensmQos::partition_numbers(const Line& line) {
  std::vector<Range> numbers;
  for (const Range& range : ranges(line, line.value, 0xffff)) {
    const Range without{range.first & 0x7fff, range.last & 0x7fff};
    if ((range.first ^ range.last) & 0x8000)
      problem(line, fmt::format("pkey: {} goes from limited to full keys", range_text(range)));
    else
      numbers.push_back(without);
  }
  return numbers;
}

std::optional<std::uint64_t> OpensmQos::number(const Line& line, std::uint64_t most) {
  const auto value = number_from(line.value);
  if (value && *value <= most) return value;
  problem(line, fmt::format("{}: expects a number up to {}, not {}", line.key, most, in_quotes(line.value)));
  return std::nullopt;
}

std::vector<Who> OpensmQos::guids(const Line& line, std::string_view text) {
  std::vector<Who> who;
  for (const Range& range : ranges(line, text, UINT64_MAX)) {
    if (range.first == 0) {
      problem(line, "0 is no GUID");
      continue;
    }
    who.push_back({.kind = Who::Kind::guid,
                   .guid = static_cast<Guid>(range.first),
                   .last = range.first == range.last ? Guid{} : static_cast<Guid>(range.last)});
  }
  return who;
}

std::string OpensmQos::level_for_sl(std::uint8_t sl) {
  std::string name = fmt::format("sl-{}", sl);
  if (std::ranges::find(policy_.levels, name, &Level::name) == policy_.levels.end())
    policy_.levels.push_back({.name = name, .sl = static_cast<Sl>(sl)});
  return name;
}

/// "sdp, port-num 10000-20000 : 2"
void OpensmQos::read_ulp(const Line& line) {
  const auto sl = number(line, 14);
  if (!sl) return;
  const std::vector<std::string_view> parts = split(line.key, ',');
  const std::string_view ulp = parts[0];
  std::string_view what;
  std::string_view value;
  if (parts.size() > 1 && !parts[1].empty()) {
    const std::size_t blank = std::min(parts[1].find_first_of(" \t"), parts[1].size());
    what = parts[1].substr(0, blank);
    value = trimmed(line.key.substr(static_cast<std::size_t>(parts[1].data() - line.key.data()) + blank));
  }
  Rule rule{.level = level_for_sl(static_cast<std::uint8_t>(*sl))};
  const auto ports = [&](std::uint64_t base, std::uint64_t usual) {
    if (!what.empty())
      for (const Range& range : ranges(line, value, 0xffff))
        rule.services.push_back({base + range.first, base + range.last});
    if (what.empty()) rule.services.push_back({usual, usual});
  };
  constexpr std::uint64_t kTcp = 0x1060000;
  if (ulp == "default" && what.empty()) {
    policy_.default_level = rule.level;
    return;
  }
  if (ulp == "sdp" && what.empty())
    rule.services.push_back(*service_named("sdp"));
  else if (ulp == "sdp" && what == "port-num")
    ports(0x10000, 0);
  else if (ulp == "rds" && (what.empty() || what == "port-num"))
    ports(kTcp, kTcp + 0x48ca);
  else if (ulp == "iser" && (what.empty() || what == "port-num"))
    ports(kTcp, kTcp + 0x0cbc);
  else if (ulp == "ipoib" && what.empty())
    rule.pkeys.push_back({0x7fff, 0x7fff});
  else if ((ulp == "ipoib" || ulp == "any") && what == "pkey")
    rule.pkeys = ranges(line, value, 0x7fff);
  else if (ulp == "any" && what == "service-id")
    rule.services = ranges(line, value, UINT64_MAX);
  else if ((ulp == "any" || ulp == "srp") && what == "target-port-guid")
    rule.destination.ports = guids(line, value);
  else if (ulp == "any" && what == "source-port-guid")
    rule.source.ports = guids(line, value);
  else if (ulp == "any" && what == "source-target-port-guid")
    rule.source.ports = rule.destination.ports = guids(line, value);
  else
    return problem(line, fmt::format("unknown rule {}", in_quotes(line.key)));
  ulp_rules_.push_back(std::move(rule));
}

void OpensmQos::read_group(const Line& begin) {
  static const std::map<std::string_view, Who::Kind> kKinds{{"CA", Who::Kind::hosts},
                                                            {"SWITCH", Who::Kind::switches},
                                                            {"ROUTER", Who::Kind::routers},
                                                            {"SELF", Who::Kind::self},
                                                            {"ALL", Who::Kind::all}};
  std::string name;
  EndOf group;
  std::vector<Who>& who = group.ports;
  section(begin, "end-port-group", [&](const Line& line) {
    if (line.key == "name") {
      name = line.value;
    } else if (line.key == "use") {
      // a comment
    } else if (line.key == "port-guid") {
      for (Who& one : guids(line, line.value)) who.push_back(std::move(one));
    } else if (line.key == "port-name") {
      for (const std::string_view part : split(line.value, ',')) who.push_back(who_from(part));
    } else if (line.key == "node-type") {
      for (const std::string_view part : split(line.value, ',')) {
        const auto kind = kKinds.find(part);
        if (kind == kKinds.end())
          problem(line,
                  fmt::format("node-type: expects CA, SWITCH, ROUTER, SELF or ALL, not {}", in_quotes(part)));
        else
          who.push_back({.kind = kind->second});
      }
    } else if (line.key == "pkey") {
      for (const Range& range : partition_numbers(line)) group.partitions.push_back({.numbers = range});
    } else if (line.key == "partition") {
      for (const std::string_view part : split(line.value, ',')) {
        if (is_name(part))
          group.partitions.push_back({.partition = std::string(part)});
        else
          problem(line, fmt::format("partition: expects names, not {}", in_quotes(part)));
      }
    } else {
      problem(line, fmt::format("unknown line {} in a port-group", in_quotes(line.text)));
    }
  });
  if (name.empty()) return problem(begin, "a port-group needs a name");
  if (!groups_.emplace(name, std::move(group)).second)
    problem(begin, fmt::format("port-group {} is defined twice", in_quotes(name)));
}

void OpensmQos::read_level(const Line& begin) {
  Level level{.sl = Sl{0}};
  section(begin, "end-qos-level", [&](const Line& line) {
    if (line.key == "name") {
      level.name = line.value;
    } else if (line.key == "sl") {
      if (const auto sl = number(line, 14)) level.sl = static_cast<Sl>(*sl);
    } else if (line.key == "mtu-limit") {
      const auto code = number(line, 5);
      if (code && *code >= 1) level.mtu = static_cast<Mtu>(*code);
      if (code && *code == 0)
        problem(line, "mtu-limit: 0 is no MTU code; 1 to 5 stand for 256 to 4096 bytes");
    } else if (line.key == "rate-limit") {
      const auto code = number(line, 63);
      const int speed = code ? rate_speed(static_cast<std::uint8_t>(*code)) : 0;
      if (code && speed == 0) problem(line, fmt::format("rate-limit: {} is no rate code", *code));
      if (speed != 0) level.rate = speed;
    } else if (line.key == "packet-life") {
      if (const auto code = number(line, 31)) level.lifetime = static_cast<std::uint8_t>(*code);
    } else if (line.key == "path-bits" || line.key == "pkey") {
      report_.note({line.number, 1}, fmt::format("{} of a level has no effect, as in OpenSM", line.key));
    } else if (line.key != "use") {
      problem(line, fmt::format("unknown line {} in a qos-level", in_quotes(line.text)));
    }
  });
  if (level.name.empty()) return problem(begin, "a qos-level needs a name");
  if (!is_name(level.name))
    return problem(begin, "a name has at most 255 bytes, none of them a control character");
  if (level.name == "DEFAULT") policy_.default_level = level.name;
  if (std::ranges::find(policy_.levels, level.name, &Level::name) != policy_.levels.end())
    return problem(begin, fmt::format("qos-level {} is defined twice", in_quotes(level.name)));
  policy_.levels.push_back(std::move(level));
}

void OpensmQos::add_groups(const Line& line, EndOf& end) {
  for (const std::string_view name : split(line.value, ',')) {
    const auto group = groups_.find(name);
    if (group == groups_.end()) {
      problem(line, fmt::format("{}: there is no port-group {} above", line.key, in_quotes(name)));
      continue;
    }
    const auto& [ports, partitions] = group->second;
    end.ports.insert(end.ports.end(), ports.begin(), ports.end());
    end.partitions.insert(end.partitions.end(), partitions.begin(), partitions.end());
  }
}

void OpensmQos::read_rule(const Line& begin) {
  Rule rule;
  section(begin, "end-qos-match-rule", [&](const Line& line) {
    if (line.key == "qos-class") {
      rule.classes = ranges(line, line.value, 0xfff);
    } else if (line.key == "source") {
      add_groups(line, rule.source);
    } else if (line.key == "destination") {
      add_groups(line, rule.destination);
    } else if (line.key == "service-id") {
      rule.services = ranges(line, line.value, UINT64_MAX);
    } else if (line.key == "pkey") {
      rule.pkeys = partition_numbers(line);
    } else if (line.key == "qos-level-name") {
      rule.level = line.value;
      levels_named_.emplace_back(line, rule.level);
    } else if (line.key != "use") {
      problem(line, fmt::format("unknown line {} in a qos-match-rule", in_quotes(line.text)));
    }
  });
  if (rule.level.empty()) return problem(begin, "a qos-match-rule needs a qos-level-name");
  policy_.rules.push_back(std::move(rule));
}

void OpensmQos::finish() {
  for (const auto& [line, name] : levels_named_)
    if (std::ranges::find(policy_.levels, name, &Level::name) == policy_.levels.end())
      problem(line, fmt::format("there is no qos-level {}", in_quotes(name)));
  if (policy_.default_level.empty())
    report_.problem({},
                    "there is no default; define a qos-level DEFAULT, or write \"default : 0\" in qos-ulps");
  policy_.rules.insert(policy_.rules.end(), ulp_rules_.begin(), ulp_rules_.end());
}

qos::Policy OpensmQos::read() {
  while (const auto line = next()) {
    const auto each = [&](std::string_view one, std::string_view end, auto take) {
      section(*line, end, [&](const Line& inner) {
        if (inner.text == one)
          take(inner);
        else
          problem(inner, fmt::format("expects {} or {}, not {}", one, end, in_quotes(inner.text)));
      });
    };
    if (line->text == "qos-ulps")
      section(*line, "end-qos-ulps", [this](const Line& inner) { read_ulp(inner); });
    else if (line->text == "port-groups")
      each("port-group", "end-port-groups", [this](const Line& inner) { read_group(inner); });
    else if (line->text == "qos-levels")
      each("qos-level", "end-qos-levels", [this](const Line& inner) { read_level(inner); });
    else if (line->text == "qos-match-rules")
      each("qos-match-rule", "end-qos-match-rules", [this](const Line& inner) { read_rule(inner); });
    else if (line->text == "qos-setup") {
      section(*line, "end-qos-setup", [](const Line&) {});
      report_.note({line->number, 1},
                   "qos-setup has no effect, as in OpenSM; use weight and priority of qos.levels");
    } else {
      problem(*line, fmt::format("expects qos-ulps, port-groups, qos-levels or qos-match-rules, not {}",
                                 in_quotes(line->text)));
    }
  }
  finish();
  return std::move(policy_);
}

}  // namespace

qos::Policy read_opensm_qos(std::string_view text, Report& report) {
  const Remarks remarks = check_text(text);
  for (const Remark& remark : remarks) report.problem(remark.place, remark.text);
  if (!remarks.empty()) return {};
  return OpensmQos(text, report).read();
}

}  // namespace weft::config
