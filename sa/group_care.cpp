#include "sa/group_care.h"

#include "mad/notice.h"
#include "mad/sa_records.h"
#include "partitions/pkey.h"
#include "partitions/tables.h"
#include "sa/multicast.h"
#include "sa/rate.h"

namespace weft::sa {
namespace {

namespace join = mad::join;

constexpr std::uint8_t kIpoibLifetime = 18;
constexpr std::uint32_t kIpoibQkey = 0x0b1b;

/// A group without a member that may receive has ended, unless it is ours.
bool over(const plan::McGroup& group) {
  if (group.permanent) return false;
  bool receives = false;
  group.members.each([&receives](Guid, const plan::McMember& member) {
    receives = receives || (member.join_state & (join::kFull | join::kSendOnlyFull)) != 0;
  });
  return !receives;
}

}  // namespace

std::optional<plan::SaState> with_own_groups(const plan::SaState& state, const plan::SaOptions& options) {
  const Gid mgid = ipoib_broadcast(partitions::kDefaultPkey);
  const plan::McGroups::GroupPtr held = state.groups.find(mgid);
  plan::McGroup group;
  if (held) group = *held;
  group.mgid = mgid;
  group.qkey = kIpoibQkey;
  group.pkey = partitions::kDefaultPkey;
  group.mtu = Mtu::mtu2048;
  group.follows_slowest = options.group_rate == 0;
  if (options.group_rate != 0) group.rate = rate_at_most(options.group_rate);
  if (group.rate == 0) group.rate = rate_at_most(100);
  group.lifetime = kIpoibLifetime;
  group.permanent = true;
  if (!held) group.mlid = *state.groups.free_mlid(plan::McGroups::kMlids);
  if (held && *held == group) return std::nullopt;
  plan::SaState next = state;
  next.groups = state.groups.with(std::move(group));
  return next;
}

plan::SaState with_members(const plan::SaState& state, const plan::McGroup& group,
                           std::vector<Event>& events) {
  plan::SaState next = state;
  if (over(group)) {
    next.groups = state.groups.without(group.mgid);
    events.push_back({raw(mad::TrapNumber::multicast_group_deleted), group.mgid, {group.pkey}});
  } else {
    next.groups = state.groups.with(group);
  }
  return next;
}

plan::McGroup at_its_rate(plan::McGroup group, const Context& context) {
  if (!group.follows_slowest) return group;
  std::uint8_t slowest = 0;
  group.members.each([&](Guid guid, const plan::McMember&) {
    const End* port = find_end(context, guid);
    if (port == nullptr || port->rate == 0) return;
    if (slowest == 0 || rate_speed(port->rate) < rate_speed(slowest)) slowest = port->rate;
  });
  if (slowest != 0) group.rate = rate_within(slowest, context.options.max_rate);
  return group;
}

std::optional<plan::SaState> without_ports(const plan::SaState& state, const std::vector<Guid>& gone,
                                           std::vector<Event>& events) {
  std::optional<plan::SaState> next;
  state.groups.each([&](const plan::McGroup& group) {
    plan::McGroup kept = group;
    for (const Guid guid : gone) (void)kept.members.erase(guid);
    if (kept.members.size() == group.members.size()) return;
    next = with_members(next ? *next : state, kept, events);
  });
  return next;
}

std::optional<plan::SaState> as_planned(const Context& context, std::vector<Event>& events) {
  std::optional<plan::SaState> next;
  context.state.groups.each([&](const plan::McGroup& group) {
    plan::McGroup kept = group;
    group.members.each([&](Guid guid, const plan::McMember&) {
      const End* port = find_end(context, guid);
      if (port != nullptr && !partitions::key_in(context.index.keys(*port), group.pkey))
        (void)kept.members.erase(guid);
    });
    kept = at_its_rate(std::move(kept), context);
    if (kept.members.size() == group.members.size() && kept.rate == group.rate) return;
    next = with_members(next ? *next : context.state, kept, events);
  });
  return next;
}

}  // namespace weft::sa
