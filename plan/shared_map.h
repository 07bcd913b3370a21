#pragma once
// SharedMap: a map as a value that is cheap to copy and to change: its entries stand in shards by key, copies
// share them, and a change copies one shard. Two maps that come from one another are compared, and their
// differences found, in the time of what differs.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/gid.h"
#include "base/ids.h"

namespace weft::plan {

/// Spreads keys over shards; the order of each() follows from it.
constexpr std::uint64_t spread(std::uint64_t key) {
  key = (key ^ key >> 31) * 0x9e3779b97f4a7c15u;
  return (key ^ key >> 29) * 0xbf58476d1ce4e5b9u;
}
constexpr std::uint64_t spread(Guid key) { return spread(raw(key)); }
constexpr std::uint64_t spread(Lid key) { return spread(std::uint64_t{raw(key)}); }
constexpr std::uint64_t spread(const Gid& key) { return spread(key[0] ^ spread(key[1])); }

/// `Key` has an order and a spread(key), found by argument; `Value` is cheap to copy: a small struct or a
/// shared pointer.
template <typename Key, typename Value>
class SharedMap {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// Null when it is not there; valid until the map changes.
  const Value* find(const Key& key) const {
    const Shard* shard = shards_[shard_of(key)].get();
    if (shard == nullptr) return nullptr;
    const auto at = place(*shard, key);
    return at != shard->end() && at->first == key ? &at->second : nullptr;
  }
  bool contains(const Key& key) const { return find(key) != nullptr; }

  void set(const Key& key, Value value) {
    auto& shard = shards_[shard_of(key)];
    auto copy = shard ? std::make_shared<Shard>(*shard) : std::make_shared<Shard>();
    const auto at = copy->begin() + (place(*copy, key) - copy->cbegin());
    if (at != copy->end() && at->first == key) {
      at->second = std::move(value);
    } else {
      copy->emplace(at, key, std::move(value));
      ++size_;
    }
    shard = std::move(copy);
  }
  /// False when it was not there.
  bool erase(const Key& key) {
    auto& shard = shards_[shard_of(key)];
    if (!contains(key)) return false;
    auto copy = std::make_shared<Shard>(*shard);
    copy->erase(place(*copy, key));
    shard = copy->empty() ? nullptr : std::shared_ptr<const Shard>(std::move(copy));
    --size_;
    return true;
  }

  /// Calls `visit(key, value)` in an order that depends on the keys alone.
  template <typename Visit>
  void each(const Visit& visit) const {
    for (const auto& shard : shards_)
      if (shard)
        for (const auto& [key, value] : *shard) visit(key, value);
  }

  /// Calls `put(key, value)` for what is new or other in `after`, `drop(key)` for what it lacks. Shards that
  /// both share cost nothing.
  template <typename Put, typename Drop>
  static void differences(const SharedMap& before, const SharedMap& after, const Put& put, const Drop& drop) {
    static const Shard kNone;
    for (std::size_t i = 0; i < kShards; ++i) {
      if (before.shards_[i] == after.shards_[i]) continue;
      const Shard& a = before.shards_[i] ? *before.shards_[i] : kNone;
      const Shard& b = after.shards_[i] ? *after.shards_[i] : kNone;
      auto old_entry = a.begin();
      for (const auto& [key, value] : b) {
        for (; old_entry != a.end() && old_entry->first < key; ++old_entry) drop(old_entry->first);
        const bool known = old_entry != a.end() && old_entry->first == key;
        if (!known || !(old_entry->second == value)) put(key, value);
        if (known) ++old_entry;
      }
      for (; old_entry != a.end(); ++old_entry) drop(old_entry->first);
    }
  }

  bool operator==(const SharedMap& other) const {
    if (size_ != other.size_) return false;
    for (std::size_t i = 0; i < kShards; ++i) {
      if (shards_[i] == other.shards_[i]) continue;
      if (!shards_[i] || !other.shards_[i] || *shards_[i] != *other.shards_[i]) return false;
    }
    return true;
  }

 private:
  using Shard = std::vector<std::pair<Key, Value>>;  // sorted by key
  static constexpr std::size_t kShards = 64;

  static std::size_t shard_of(const Key& key) { return static_cast<std::size_t>(spread(key) >> 58); }
  static typename Shard::const_iterator place(const Shard& shard, const Key& key) {
    return std::lower_bound(shard.begin(), shard.end(), key,
                            [](const auto& entry, const Key& wanted) { return entry.first < wanted; });
  }

  std::array<std::shared_ptr<const Shard>, kShards> shards_;
  std::size_t size_ = 0;
};

}  // namespace weft::plan
