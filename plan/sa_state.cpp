#include "plan/sa_state.h"

#include <algorithm>

namespace weft::plan {

std::optional<Lid> McGroups::free_mlid(std::size_t capacity) const {
  for (std::size_t i = 0; i < std::min(capacity, kMlids); ++i)
    if (!mlids_.test(i)) return static_cast<Lid>(kFirstMlid + i);
  return std::nullopt;
}

void McGroups::release(Lid mlid) {
  const std::uint32_t left = users(mlid) - 1;
  if (left > 0) return users_.set(mlid, left);
  users_.erase(mlid);
  mlids_.reset(raw(mlid) - kFirstMlid);
}

McGroups McGroups::with(McGroup group) const {
  McGroups next = *this;
  const GroupPtr held = find(group.mgid);
  const Lid mlid = group.mlid;
  if (!held || held->mlid != mlid) {
    if (held) next.release(held->mlid);
    next.users_.set(mlid, next.users(mlid) + 1);
    next.mlids_.set(raw(mlid) - kFirstMlid);
  }
  const Gid mgid = group.mgid;
  if (!held && (mgid[0] >> 32 & 0xffff) == kChosenSignature && mgid[1] > last_number(mgid[0]))
    next.numbers_.set(static_cast<Guid>(mgid[0]), mgid[1]);
  next.groups_.set(mgid, std::make_shared<const McGroup>(std::move(group)));
  return next;
}

McGroups McGroups::without(const Gid& mgid) const {
  const GroupPtr held = find(mgid);
  if (!held) return *this;
  McGroups next = *this;
  next.groups_.erase(mgid);
  next.release(held->mlid);
  return next;
}

SaState with_alias(const SaState& state, Guid port, std::uint16_t index, Guid alias) {
  SaState next = state;
  const SaState::PortGuids* held = state.port_guids.find(port);
  std::vector<Guid> guids = held == nullptr ? std::vector<Guid>() : **held;
  if (guids.size() <= index) guids.resize(index + 1u);
  if (guids[index] != Guid{}) next.aliases.erase(guids[index]);
  guids[index] = alias;
  if (alias != Guid{}) next.aliases.set(alias, {port, index});
  while (!guids.empty() && guids.back() == Guid{}) guids.pop_back();
  if (guids.empty())
    next.port_guids.erase(port);
  else
    next.port_guids.set(port, std::make_shared<const std::vector<Guid>>(std::move(guids)));
  return next;
}

std::size_t subscription_count(const SaState& state) {
  std::size_t count = 0;
  state.subscriptions.each([&count](Guid, const SaState::PortSubscriptions& list) { count += list->size(); });
  return count;
}

std::vector<Guid> registered_ports(const SaState& state) {
  std::vector<Guid> ports;
  state.groups.each([&ports](const McGroup& group) {
    group.members.each([&ports](Guid guid, const McMember&) { ports.push_back(guid); });
  });
  state.subscriptions.each([&ports](Guid guid, const SaState::PortSubscriptions&) { ports.push_back(guid); });
  for (Guid& guid : ports)
    if (const AliasGuid* alias = state.aliases.find(guid)) guid = alias->port;
  std::ranges::sort(ports);
  const auto [first, last] = std::ranges::unique(ports);
  ports.erase(first, last);
  return ports;
}

}  // namespace weft::plan
