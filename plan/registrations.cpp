#include "plan/registrations.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/rate.h"
#include "base/words.h"

namespace weft::plan {
namespace {

constexpr std::string_view kNobody = "its port GUID is 0, which is nobody's";

/// Takes over one by one.
class Taking {
 public:
  explicit Taking(const SaState& ours) : ours_(ours), next_{ours, {}, {}} {}

  void group(const McGroup& told) {
    const McGroups::GroupPtr held = ours_.groups.find(told.mgid);
    if (!held && ours_.groups.uses(told.mlid))  // ours goes on: its members send there
      return leave_out([&] {
        return fmt::format("group {} with {}: another one here has its MLID 0x{:04x}",
                           base::to_string(told.mgid), counted(told.members.size(), "member"),
                           raw(told.mlid));
      });
    McGroup group = held ? *held : told;
    if (held) {
      told.members.each([&group](Guid port, const McMember& member) {
        if (!group.members.contains(port)) group.members.set(port, member);
      });
    }
    next_.taken.groups += held ? 0 : 1;
    next_.taken.members += group.members.size() - (held ? held->members.size() : 0);
    next_.state.groups = next_.state.groups.with(std::move(group));
  }

  void service(const ServiceKey& key, const SaState::ServicePtr& told) {
    if (next_.state.services.contains(key)) return;
    next_.state.services.set(key, told);
    ++next_.taken.services;
  }

  void subscriptions(Guid port, const std::vector<Subscription>& told) {
    const SaState::PortSubscriptions* held = next_.state.subscriptions.find(port);
    std::vector<Subscription> all = held == nullptr ? std::vector<Subscription>() : **held;
    const std::size_t before = all.size();
    for (const Subscription& one : told) {
      if (std::ranges::find(all, one) != all.end()) continue;
      if (all.size() < kMostSubscriptionsOfAPort)
        all.push_back(one);
      else
        leave_out([&] {
          return fmt::format("a subscription of port {}: it has {} others", to_string(port), all.size());
        });
    }
    if (all.size() == before) return;
    next_.taken.subscriptions += all.size() - before;
    next_.state.subscriptions.set(port, std::make_shared<const std::vector<Subscription>>(std::move(all)));
  }

  void alias(Guid alias, const AliasGuid& place) {
    if (const AliasGuid* held = next_.state.aliases.find(alias)) {
      if (*held != place)
        leave_out([&] {
          return fmt::format("alias {} at {} of port {}: it is at {} of port {} here", to_string(alias),
                             place.index, to_string(place.port), held->index, to_string(held->port));
        });
      return;
    }
    const SaState::PortGuids* guids = next_.state.port_guids.find(place.port);
    if (guids != nullptr && (*guids)->size() > place.index && (**guids)[place.index] != Guid{})
      return leave_out([&] {
        return fmt::format("alias {} at {} of port {}: {} is there", to_string(alias), place.index,
                           to_string(place.port), to_string((**guids)[place.index]));
      });
    next_.state = with_alias(next_.state, place.port, place.index, alias);
    ++next_.taken.aliases;
  }

  TakenOver finish() && {
    if (left_out_ > kMostTold) next_.left_out.push_back(fmt::format("and {} more", left_out_ - kMostTold));
    return std::move(next_);
  }

 private:
  static constexpr std::size_t kMostTold = 20;

  template <typename Sentence>
  void leave_out(const Sentence& sentence) {
    if (++left_out_ <= kMostTold) next_.left_out.push_back(sentence());
  }

  const SaState& ours_;
  TakenOver next_;
  std::size_t left_out_ = 0;
};

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
  else if (counts.members > 0)
    parts.push_back(counted(counts.members, "member"));
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

TakenOver with_registrations(const SaState& state, const SaState& told) {
  Taking taking(state);
  told.groups.each([&taking](const McGroup& group) { taking.group(group); });
  told.services.each(
      [&taking](const ServiceKey& key, const SaState::ServicePtr& service) { taking.service(key, service); });
  told.subscriptions.each(
      [&taking](Guid port, const SaState::PortSubscriptions& list) { taking.subscriptions(port, *list); });
  told.aliases.each([&taking](Guid alias, const AliasGuid& place) { taking.alias(alias, place); });
  return std::move(taking).finish();
}

}  // namespace weft::plan
