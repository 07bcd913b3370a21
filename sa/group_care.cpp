#include "sa/group_care.h"

#include <set>
#include <tuple>

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

/// A group of a partition, on top of what it is now.
plan::McGroup as_set(const partitions::Group& wanted, plan::McGroup group, const plan::SaOptions& options) {
  const partitions::GroupOptions& set = wanted.options;
  group.mgid = wanted.mgid;
  group.pkey = wanted.pkey;
  group.qkey = set.q_key.value_or(kIpoibQkey);
  group.mtu = set.mtu.value_or(Mtu::mtu2048);
  group.sl = set.sl.value_or(Sl{0});
  group.tclass = set.traffic_class.value_or(0);
  group.flow_label = set.flow_label.value_or(0);
  const int speed = set.rate.value_or(options.group_rate);
  group.follows_slowest = speed == 0;
  if (speed != 0) group.rate = rate_at_most(speed);
  if (group.rate == 0) group.rate = rate_at_most(100);
  group.lifetime = kIpoibLifetime;
  group.permanent = true;
  return group;
}

/// What members were told when they joined, and send with.
auto told(const plan::McGroup& group) {
  return std::tuple(group.qkey, group.mtu, group.sl, group.tclass, group.flow_label);
}

/// This member is to register again.
void ask_again(plan::SaState& state, Guid member) {
  const plan::AliasGuid* alias = state.aliases.find(member);
  state.forgotten.set(alias != nullptr ? alias->port : member, true);
}

/// Members that send by what is no longer so are to register again, and are told the new then.
void ask_again(plan::SaState& state, const plan::McGroup& held) {
  held.members.each([&state](Guid guid, const plan::McMember&) { ask_again(state, guid); });
}

}  // namespace

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

std::optional<plan::SaState> with_own_groups(const plan::SaState& state, const plan::SaOptions& options,
                                             const partitions::PlannedKeys& partitions,
                                             std::vector<Event>& events) {
  if (partitions.refused) return std::nullopt;  // what was there stays
  std::optional<plan::SaState> next;
  const auto current = [&]() -> const plan::SaState& { return next ? *next : state; };
  std::set<Gid> planned;
  for (const partitions::Group& one : partitions.groups) {
    planned.insert(one.mgid);
    const plan::McGroups::GroupPtr held = current().groups.find(one.mgid);
    plan::McGroup group = as_set(one, held ? *held : plan::McGroup{}, options);
    if (!held) {
      const std::optional<Lid> mlid = current().groups.free_mlid(plan::McGroups::kMlids);
      if (!mlid) continue;
      group.mlid = *mlid;
    }
    if (held && *held == group) continue;
    plan::SaState changed = current();
    if (held && told(*held) != told(group)) ask_again(changed, *held);
    changed.groups = changed.groups.with(std::move(group));
    next = std::move(changed);
  }
  state.groups.each([&](const plan::McGroup& group) {
    if (!group.permanent || planned.contains(group.mgid)) return;
    plan::McGroup left = group;
    left.permanent = false;
    next = with_members(current(), left, events);
  });
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
    std::vector<Guid> out;
    group.members.each([&](Guid guid, const plan::McMember&) {
      const End* port = find_end(context, guid);
      if (port == nullptr || partitions::key_in(port->keys, group.pkey)) return;
      (void)kept.members.erase(guid);
      out.push_back(guid);
    });
    kept = at_its_rate(std::move(kept), context);
    if (out.empty() && kept.rate == group.rate) return;
    next = with_members(next ? *next : context.state, kept, events);
    for (const Guid member : out) ask_again(*next, member);
  });
  return next;
}

}  // namespace weft::sa
