#include "plan/registrations.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/rate.h"
#include "base/words.h"

namespace weft::plan {
namespace {

constexpr std::string_view kNobody = "its port GUID is 0, which is nobody's";

void add_group(SaState& next, const McGroups& ours, const McGroup& told) {
  const McGroups::GroupPtr held = ours.find(told.mgid);
  if (!held && ours.uses(told.mlid)) return;  // ours goes on: its members send there
  McGroup group = held ? *held : told;
  if (held) {
    told.members.each([&group](Guid port, const McMember& member) {
      if (!group.members.contains(port)) group.members.set(port, member);
    });
  }
  next.groups = next.groups.with(std::move(group));
}

void add_subscriptions(SaState& next, Guid port, const std::vector<Subscription>& told) {
  const SaState::PortSubscriptions* held = next.subscriptions.find(port);
  std::vector<Subscription> all = held == nullptr ? std::vector<Subscription>() : **held;
  for (const Subscription& one : told)
    if (std::ranges::find(all, one) == all.end()) all.push_back(one);
  next.subscriptions.set(port, std::make_shared<const std::vector<Subscription>>(std::move(all)));
}

bool is_free(const SaState& state, Guid alias, const AliasGuid& place) {
  const SaState::PortGuids* guids = state.port_guids.find(place.port);
  const bool taken = guids != nullptr && (*guids)->size() > place.index && (**guids)[place.index] != Guid{};
  return !taken && !state.aliases.contains(alias);
}

}  // namespace

RegistrationCounts counts_of(const SaState& state) {
  RegistrationCounts counts;
  counts.groups = state.groups.size();
  state.groups.each([&counts](const McGroup& group) { counts.members += group.members.size(); });
  counts.services = state.services.size();
  counts.subscriptions = subscription_count(state);
  counts.aliases = state.aliases.size();
  return counts;
}

std::string to_string(const RegistrationCounts& counts) {
  std::vector<std::string> parts;
  if (counts.groups > 0)
    parts.push_back(
        fmt::format("{} with {}", counted(counts.groups, "group"), counted(counts.members, "member")));
  for (const auto& [count, word] :
       {std::pair(counts.services, "service"), std::pair(counts.subscriptions, "subscription"),
        std::pair(counts.aliases, "alias GUID")})
    if (count > 0) parts.push_back(counted(count, word));
  if (parts.empty()) return "no registrations";
  const std::string last = parts.back();
  parts.pop_back();
  return parts.empty() ? last : fmt::format("{} and {}", fmt::join(parts, ", "), last);
}

std::string why_not(const McGroup& group) {
  const auto mlid = static_cast<std::size_t>(raw(group.mlid));
  const auto mtu = static_cast<unsigned>(group.mtu);
  if (!is_multicast(group.mgid)) return "its MGID is none of a group";
  if (mlid < McGroups::kFirstMlid || mlid >= McGroups::kFirstMlid + McGroups::kMlids)
    return "expects an MLID from 0xc000 to 0xfffe";
  if (mtu < 1 || mtu > 5) return "its MTU is unknown";
  return rate_speed(group.rate) == 0 ? "its rate is unknown" : "";
}

std::string why_not(Guid port, const McMember& member) {
  if (port == Guid{}) return std::string(kNobody);
  if (interface_of(member.gid) != port) return "its GID is not that of the port";
  return member.join_state == 0 ? "it has not joined as anything" : "";
}

std::string why_not(Guid alias, const AliasGuid& place) {
  if (place.port == Guid{}) return std::string(kNobody);
  return alias == Guid{} ? "an alias GUID of 0 is none" : "";
}

SaState with_registrations(const SaState& state, const SaState& told) {
  SaState next = state;
  told.groups.each([&](const McGroup& group) { add_group(next, state.groups, group); });
  told.services.each([&](const ServiceKey& key, const SaState::ServicePtr& service) {
    if (!next.services.contains(key)) next.services.set(key, service);
  });
  told.subscriptions.each(
      [&](Guid port, const SaState::PortSubscriptions& list) { add_subscriptions(next, port, *list); });
  told.aliases.each([&](Guid alias, const AliasGuid& place) {
    if (is_free(next, alias, place)) next = with_alias(next, place.port, place.index, alias);
  });
  return next;
}

}  // namespace weft::plan
