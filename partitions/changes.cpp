#include "partitions/changes.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "partitions/pkey.h"

namespace weft::partitions {
namespace {

constexpr std::size_t kMostNamed = 5;

struct Change {
  std::vector<std::string> gained;
  std::vector<std::string> lost;
  std::vector<std::string> other;  ///< Of another membership than before.
};

Membership membership_in(std::span<const Pkey> keys, std::uint16_t partition) {
  unsigned as = 0;
  for (const Pkey key : keys)
    if (is_valid(key) && partition_of(key) == partition) as |= is_full(key) ? 2u : 1u;
  return static_cast<Membership>(as);
}

std::span<const Pkey> keys_at(const Standing& at, fabric::PortRef port) {
  return at.plan.tables.of(at.fabric.node(port.node).first_port + raw(port.port));
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kMostNamed; ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kMostNamed) text += fmt::format(" and {} more", names.size() - kMostNamed);
  return text;
}

void compare_port(const std::string& name, std::span<const Pkey> before, std::span<const Pkey> after,
                  std::map<std::uint16_t, Change>& changes) {
  if (std::ranges::equal(before, after)) return;
  std::vector<std::uint16_t> partitions;
  for (const auto keys : {before, after})
    for (const Pkey key : keys)
      if (is_valid(key)) partitions.push_back(partition_of(key));
  std::ranges::sort(partitions);
  partitions.erase(std::unique(partitions.begin(), partitions.end()), partitions.end());
  for (const std::uint16_t partition : partitions) {
    const Membership was = membership_in(before, partition);
    const Membership is = membership_in(after, partition);
    if (was == is) continue;
    Change& change = changes[partition];
    if (was == Membership::none)
      change.gained.push_back(name);
    else if (is == Membership::none)
      change.lost.push_back(name);
    else
      change.other.push_back(fmt::format("{} (now {})", name, partitions::name(is)));
  }
}

}  // namespace

std::vector<std::string> access_changes(const Standing& before, const Standing& after) {
  std::map<std::uint16_t, Change> changes;
  if (!before.plan.active && !after.plan.active) return {};
  for (const fabric::PortRef port : after.fabric.end_ports()) {
    const auto was = before.fabric.find_port(after.fabric.port(port).guid);
    if (was)
      compare_port(fabric::describe(after.fabric, port), keys_at(before, *was), keys_at(after, port),
                   changes);
  }
  std::vector<std::string> sentences;
  for (const auto& [key, change] : changes) {
    auto named = std::ranges::find(after.plan.partitions, key, &Resolved::key);
    std::string name = named != after.plan.partitions.end() ? named->name : std::string();
    if (name.empty()) {
      named = std::ranges::find(before.plan.partitions, key, &Resolved::key);
      name = named != before.plan.partitions.end() ? named->name : "?";
    }
    std::string text = fmt::format("partition {} ({}):", name, to_string(Pkey{key}));
    const auto add = [&text](std::string_view what, const std::vector<std::string>& who) {
      if (!who.empty()) text += fmt::format("{} {} {}", text.back() == ':' ? "" : ";", what, listed(who));
    };
    add("access given to", change.gained);
    add("access taken from", change.lost);
    add("membership changed of", change.other);
    sentences.push_back(std::move(text));
  }
  return sentences;
}

}  // namespace weft::partitions
