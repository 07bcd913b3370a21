#include "partitions/index.h"

#include <algorithm>
#include <utility>

#include "partitions/pkey.h"
#include "partitions/plan_keys.h"

namespace weft::partitions {
namespace {

constexpr Pkey kEmpty{0};

void trim(Keys& table) {
  while (!table.empty() && !is_valid(table.back())) table.pop_back();
}

bool holds(std::span<const Pkey> keys, Pkey key) { return std::ranges::find(keys, key) != keys.end(); }

/// The lowest free entry, the table made longer where it ends before.
Pkey& free_entry(Keys& table, std::size_t from) {
  for (std::size_t i = from; i < table.size(); ++i)
    if (table[i] == kEmpty) return table[i];
  table.resize(std::max(table.size(), from) + 1, kEmpty);
  return table.back();
}

}  // namespace

Keys placed(std::span<const Pkey> keys, std::span<const Pkey> held, const std::set<std::uint16_t>& index0,
            std::size_t capacity) {
  Keys table(std::min(held.size(), capacity), kEmpty);
  for (std::size_t i = 0; i < table.size(); ++i)
    if (is_valid(held[i]) && holds(keys, held[i])) table[i] = held[i];
  if (table.empty()) table.push_back(kEmpty);
  const auto first = std::ranges::find_if(keys, [&](Pkey key) { return index0.contains(partition_of(key)); });
  if (first != keys.end() && table[0] != *first) {
    std::ranges::replace(table, *first, kEmpty);
    const Pkey displaced = std::exchange(table[0], *first);
    if (displaced != kEmpty) free_entry(table, 1) = displaced;
  }
  for (const Pkey key : keys) {
    if (holds(table, key)) continue;
    const bool may_lead = table[0] == kEmpty && partition_of(key) == partition_of(kDefaultPkey);
    // Index 0 is the default key's; another takes it only when nothing else is left.
    if (may_lead) {
      table[0] = key;
    } else if (Pkey& entry = free_entry(table, 1); table.size() <= capacity) {
      entry = key;
    } else {
      table.resize(capacity);
      table[0] = key;
    }
  }
  trim(table);
  return table;
}

std::optional<Keys> switch_table(std::span<const Pkey> keys, std::size_t capacity) {
  if (keys.size() <= capacity) return Keys(keys.begin(), keys.end());
  Keys table;
  for (const Pkey key : keys) {
    const bool more_is_there = !is_full(key) && holds(keys, static_cast<Pkey>(raw(key) | 0x8000));
    if (is_valid(key) && !more_is_there) table.push_back(key);
  }
  if (table.size() > capacity) return std::nullopt;
  return table;
}

Keys grown(std::span<const Pkey> before, std::span<const Pkey> after, std::size_t capacity) {
  Keys table(after.begin(), after.end());
  // First those that need not move, then the others.
  for (std::size_t i = 0; i < std::min(before.size(), capacity); ++i) {
    if (!is_valid(before[i]) || holds(after, before[i])) continue;
    if (i >= table.size()) table.resize(i + 1, kEmpty);
    if (table[i] == kEmpty) table[i] = before[i];
  }
  for (const Pkey key : before) {
    if (!is_valid(key) || holds(table, key)) continue;
    const bool has_hole = holds(table, kEmpty);
    if (has_hole || table.size() < capacity) free_entry(table, 0) = key;
  }
  return table;
}

}  // namespace weft::partitions
