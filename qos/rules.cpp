#include "qos/rules.h"

#include <algorithm>

#include <fmt/format.h>

namespace weft::qos {
namespace {

constexpr std::size_t kNamed = 5;  ///< Of many, so many are named.

bool in_any(const std::vector<Range>& ranges, std::uint64_t value) {
  return std::ranges::any_of(ranges, [value](const Range& range) { return range.has(value); });
}

/// Adds the members of the partitions that are meant; false when there is no such partition.
bool add_members(const PortsOf& meant, std::span<const PartitionPorts> partitions, std::vector<bool>& ends) {
  bool found = false;
  for (const PartitionPorts& one : partitions) {
    if (meant.partition.empty() ? !meant.numbers.has(one.number) : meant.partition != one.name) continue;
    found = true;
    for (std::size_t end = 0; end < ends.size(); ++end) ends[end] = ends[end] || one.members[end];
  }
  return found;
}

std::string describe_missing(const PortsOf& meant) {
  if (!meant.partition.empty()) return fmt::format("there is no partition {}", meant.partition);
  return fmt::format("no partition has a P_Key from 0x{:04x} to 0x{:04x}", meant.numbers.first,
                     meant.numbers.last);
}

bool means_nobody(const std::vector<bool>& ends) {
  return !ends.empty() && std::ranges::find(ends, true) == ends.end();
}

}  // namespace

std::string describe(const Policy& policy, std::size_t rule) {
  return fmt::format("rule {} (level {})", rule + 1, policy.rules[rule].level);
}

Rules::Rules(const fabric::Fabric& fabric, const Policy& policy, const LanePlan& plan, fabric::PortRef self,
             std::span<const PartitionPorts> partitions, std::vector<std::string>& notes)
    : default_level_(plan.default_level) {
  if (policy.rules.empty()) return;
  const fabric::Finder finder(fabric, self);
  for (std::size_t r = 0; r < policy.rules.size(); ++r) {
    const Rule& rule = policy.rules[r];
    const auto note = [&](std::string text) {
      notes.push_back(fmt::format("qos: {}: {}", describe(policy, r), text));
    };
    const auto ends_of = [&](const EndOf& end) {
      Ends ends;
      if (end.empty()) return ends;
      ends.resize(fabric.end_ports().size());
      std::size_t without = 0;
      std::string named;
      for (const Who& one : end.ports) {
        const std::vector<std::uint32_t> found = finder.find(one);
        for (const std::uint32_t port : found) ends[port] = true;
        if (found.empty() && without++ < kNamed) named += (named.empty() ? "" : ", ") + fabric::describe(one);
      }
      if (without > kNamed) named += fmt::format(" and {} more", without - kNamed);
      if (without > 0)
        note(fmt::format("{} {} no port of this fabric", named, without == 1 ? "means" : "mean"));
      for (const PortsOf& one : end.partitions) {
        if (!add_members(one, partitions, ends)) note(describe_missing(one));
      }
      return ends;
    };
    Compiled made{.services = rule.services,
                  .pkeys = rule.pkeys,
                  .classes = rule.classes,
                  .either_end = rule.either_end};
    const auto level =
        std::ranges::find(plan.levels, rule.level, [](const PlannedLevel& one) { return one.level.name; });
    made.never = level == plan.levels.end();
    made.level = made.never ? 0 : static_cast<std::size_t>(level - plan.levels.begin());
    made.source = ends_of(rule.source);
    made.destination = ends_of(rule.destination);
    made.never = made.never || means_nobody(made.source) || means_nobody(made.destination);
    for (const std::string& name : rule.partitions) {
      const auto named = std::ranges::find(partitions, name, &PartitionPorts::name);
      if (named != partitions.end())
        made.pkeys.push_back({named->number, named->number});
      else
        note(fmt::format("there is no partition {}", name));
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
