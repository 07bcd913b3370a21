#include "qos/rules.h"

#include <algorithm>

#include <fmt/format.h>

namespace weft::qos {
namespace {

bool in_any(const std::vector<Range>& ranges, std::uint64_t value) {
  return std::ranges::any_of(ranges, [value](const Range& range) { return range.has(value); });
}

}  // namespace

std::string describe(const Policy& policy, std::size_t rule) {
  return fmt::format("rule {} (level {})", rule + 1, policy.rules[rule].level);
}

Rules::Rules(const fabric::Fabric& fabric, const Policy& policy, const LanePlan& plan, fabric::PortRef self,
             const std::map<std::string, std::uint16_t>& partitions, std::vector<std::string>& notes)
    : default_level_(plan.default_level) {
  if (policy.rules.empty()) return;
  const fabric::Finder finder(fabric, self);
  const auto ends_of = [&](const std::vector<Who>& who, std::size_t rule, bool& never) {
    Ends ends;
    if (who.empty()) return ends;
    ends.resize(fabric.end_ports().size());
    bool somebody = false;
    for (const Who& one : who) {
      const std::vector<std::uint32_t> found = finder.find(one);
      somebody = somebody || !found.empty();
      for (const std::uint32_t end : found) ends[end] = true;
      if (found.empty())
        notes.push_back(fmt::format("qos: {}: {} means no port of this fabric", describe(policy, rule),
                                    fabric::describe(one)));
    }
    never = never || !somebody;
    return ends;
  };
  for (std::size_t r = 0; r < policy.rules.size(); ++r) {
    const Rule& rule = policy.rules[r];
    Compiled made{.services = rule.services,
                  .pkeys = rule.pkeys,
                  .classes = rule.classes,
                  .either_end = rule.either_end};
    const auto level =
        std::ranges::find(plan.levels, rule.level, [](const PlannedLevel& one) { return one.level.name; });
    made.never = level == plan.levels.end();
    made.level = made.never ? 0 : static_cast<std::size_t>(level - plan.levels.begin());
    made.source = ends_of(rule.source, r, made.never);
    made.destination = ends_of(rule.destination, r, made.never);
    for (const std::string& name : rule.partitions) {
      const auto number = partitions.find(name);
      if (number != partitions.end())
        made.pkeys.push_back({number->second, number->second});
      else
        notes.push_back(fmt::format("qos: {}: there is no partition {}", describe(policy, r), name));
    }
    made.never = made.never || (!rule.partitions.empty() && made.pkeys.empty());
    rules_.push_back(std::move(made));
  }
}

bool Rules::fits(const Compiled& rule, const Query& query) {
  if (rule.never) return false;
  const auto ends_fit = [&rule](std::uint32_t from, std::uint32_t to) {
    return (rule.source.empty() || rule.source[from]) && (rule.destination.empty() || rule.destination[to]);
  };
  if (!ends_fit(query.from, query.to) && !(rule.either_end && ends_fit(query.to, query.from))) return false;
  if (!rule.services.empty() && !(query.service && in_any(rule.services, *query.service))) return false;
  if (!rule.classes.empty() && !(query.qos_class && in_any(rule.classes, *query.qos_class))) return false;
  return rule.pkeys.empty() || in_any(rule.pkeys, query.partition);
}

Decision Rules::decide(const Query& query) const {
  for (std::size_t r = 0; r < rules_.size(); ++r)
    if (fits(rules_[r], query)) return {rules_[r].level, r};
  return {default_level_, std::nullopt};
}

}  // namespace weft::qos
