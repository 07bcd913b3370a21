#include "plan/sa_state.h"

#include <algorithm>

namespace weft::plan {

std::size_t McGroups::shard_of(const Gid& mgid) {
  const std::uint64_t mixed = (mgid[0] ^ mgid[1] * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
  return mixed >> 58;
}

McGroups::GroupPtr McGroups::find(const Gid& mgid) const {
  const auto& shard = shards_[shard_of(mgid)];
  if (!shard) return nullptr;
  const auto found = shard->find(mgid);
  return found == shard->end() ? nullptr : found->second;
}

std::optional<Lid> McGroups::free_mlid(std::size_t capacity) const {
  for (std::size_t i = 0; i < std::min(capacity, kMlids); ++i)
    if (!mlids_.test(i)) return static_cast<Lid>(kFirstMlid + i);
  return std::nullopt;
}

McGroups McGroups::with(McGroup group) const {
  McGroups next = *this;
  auto& shard = next.shards_[shard_of(group.mgid)];
  auto copy = shard ? std::make_shared<Shard>(*shard) : std::make_shared<Shard>();
  GroupPtr& slot = (*copy)[group.mgid];
  if (slot) next.mlids_.reset(raw(slot->mlid) - kFirstMlid);
  next.size_ += slot == nullptr;
  next.mlids_.set(raw(group.mlid) - kFirstMlid);
  slot = std::make_shared<const McGroup>(std::move(group));
  shard = std::move(copy);
  return next;
}

McGroups McGroups::without(const Gid& mgid) const {
  const GroupPtr held = find(mgid);
  if (!held) return *this;
  McGroups next = *this;
  auto& shard = next.shards_[shard_of(mgid)];
  auto copy = std::make_shared<Shard>(*shard);
  copy->erase(mgid);
  shard = std::move(copy);
  next.mlids_.reset(raw(held->mlid) - kFirstMlid);
  --next.size_;
  return next;
}

}  // namespace weft::plan
