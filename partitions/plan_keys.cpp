#include "partitions/plan_keys.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "partitions/index.h"
#include "partitions/pkey.h"

namespace weft::partitions {
namespace {

constexpr std::uint16_t kDefaultPartition = 0x7fff;
constexpr std::size_t kNamed = 5;  ///< Of many, so many are named.

/// A policy with the default partition spelt out.
std::vector<Partition> complete(const Policy& policy) {
  std::vector<Partition> all = policy.partitions;
  const bool defined = std::ranges::any_of(
      all, [](const Partition& one) { return one.key && (*one.key & 0x7fff) == kDefaultPartition; });
  if (defined) return all;
  Partition implied{.name = "default", .key = kDefaultPartition, .ipoib = true};
  implied.members.push_back({{.kind = Who::Kind::all}, all.empty() ? Membership::full : Membership::limited});
  implied.members.push_back({{.kind = Who::Kind::self}, Membership::full});
  all.insert(all.begin(), std::move(implied));
  return all;
}

/// Gives every partition its number; the ones assigned are kept by name.
void number(std::vector<Resolved>& resolved, const std::vector<Partition>& all, Memory& memory) {
  std::set<std::uint16_t> taken{0};
  for (const Partition& one : all)
    if (one.key) taken.insert(*one.key & 0x7fff);
  std::map<std::string, std::uint16_t> assigned;
  for (const Partition& one : all) {
    const auto kept = memory.assigned.find(one.name);
    if (one.key || kept == memory.assigned.end() || taken.contains(kept->second)) continue;
    assigned.emplace(one.name, kept->second);
    taken.insert(kept->second);
  }
  std::uint16_t next = 1;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].key) {
      resolved[i].key = *all[i].key & 0x7fff;
    } else if (const auto kept = assigned.find(all[i].name); kept != assigned.end()) {
      resolved[i].key = kept->second;
    } else {
      while (taken.contains(next)) ++next;
      taken.insert(next);
      resolved[i].key = assigned.emplace(all[i].name, next).first->second;
    }
  }
  memory.assigned = std::move(assigned);
}

void resolve_members(Resolved& resolved, const Partition& from, const fabric::Finder& finder,
                     std::size_t ends, std::vector<std::string>& notes) {
  std::vector<const Member*> lines;
  for (const Member& member : from.members) lines.push_back(&member);
  if (!from.last_counts)
    std::ranges::sort(lines, {},
                      [](const Member* line) { return std::pair(specificity(line->who.kind), line); });
  resolved.members.assign(ends, Membership::none);
  std::size_t without = 0;
  std::string named;
  for (const Member* line : lines) {
    const std::vector<std::uint32_t> found = finder.find(line->who);
    if (found.empty() && line->who.kind >= Who::Kind::name && without++ < kNamed)
      named += (named.empty() ? "" : ", ") + describe(line->who);
    const Membership as = line->as == Membership::none ? from.default_membership : line->as;
    for (const std::uint32_t end : found) resolved.members[end] = as;
  }
  if (without == 0) return;
  if (without > kNamed) named += fmt::format(" and {} more", without - kNamed);
  notes.push_back(fmt::format("partition {}: {} {} no port of this fabric", from.name, named,
                              without == 1 ? "means" : "mean"));
}

void count(Resolved& resolved) {
  for (const Membership as : resolved.members) {
    resolved.full += (static_cast<int>(as) & static_cast<int>(Membership::full)) != 0;
    resolved.limited += as == Membership::limited;
  }
}

/// Everybody reaches subnet administration; the manager reaches everybody.
void keep_reachable(Resolved& resolved, std::size_t self) {
  for (Membership& as : resolved.members)
    if (as == Membership::none) as = Membership::limited;
  if (self < resolved.members.size() && resolved.members[self] == Membership::limited)
    resolved.members[self] = Membership::full;
}

/// The default partition's first: it is never the one without room.
std::vector<Pkey> keys_of(const std::vector<Resolved>& partitions, std::size_t end) {
  std::vector<Pkey> keys;
  for (const bool want_default : {true, false}) {
    for (const Resolved& one : partitions) {
      if ((one.key == kDefaultPartition) != want_default) continue;
      const auto as = static_cast<unsigned>(one.members[end]);
      if ((as & static_cast<unsigned>(Membership::full)) != 0)
        keys.push_back(static_cast<Pkey>(0x8000 | one.key));
      if ((as & static_cast<unsigned>(Membership::limited)) != 0) keys.push_back(static_cast<Pkey>(one.key));
    }
  }
  return keys;
}

/// Partitions that the keys name: what a switch port needs room for.
std::size_t distinct(const std::vector<Pkey>& keys) {
  std::set<std::uint16_t> partitions;
  for (const Pkey key : keys) partitions.insert(partition_of(key));
  return partitions.size();
}

class Planner {
 public:
  Planner(const fabric::Fabric& fabric, const Policy& policy, const std::shared_ptr<const Memory>& memory,
          fabric::PortRef self)
      : fabric_(fabric), policy_(policy), before_(memory), self_(self) {}

  PlannedKeys run();

 private:
  struct Full {  // a port whose keys have no room
    std::uint32_t end;
    std::size_t keys;
    std::size_t room;
    bool at_switch;  // it is the switch port in front that is full
    std::vector<Pkey> dropped;
  };

  std::uint32_t port_index(fabric::PortRef port) const {
    return fabric_.node(port.node).first_port + raw(port.port);
  }
  bool checks(fabric::PortRef end) const;
  void make_room(std::uint32_t index, std::vector<Pkey>& keys);
  void fill_tables();
  void fall_back();
  void set_enforcement();
  void tell_full(const Full& full);
  void gather_groups(const std::vector<Partition>& all);
  void tell_membership();
  std::string names_of(const std::vector<Pkey>& keys) const;

  const fabric::Fabric& fabric_;
  const Policy& policy_;
  const std::shared_ptr<const Memory>& before_;
  fabric::PortRef self_;
  PlannedKeys plan_;
  Memory memory_;
  std::vector<Keys> tables_;  // by end port
  std::vector<Full> full_;
  std::set<std::uint16_t> index0_;
};

/// True when the switch port in front of an end port is to check its packets, and can.
bool Planner::checks(fabric::PortRef end) const {
  const auto& peer = fabric_.port(end).peer;
  if (policy_.enforcement == Enforcement::off || policy_.partitions.empty() || !peer) return false;
  if (fabric_.is_switch(end.node) || !fabric_.is_switch(peer->node)) return false;
  const fabric::SwitchFacts& facts = fabric_.node(peer->node).switch_facts;
  const bool in = policy_.enforcement != Enforcement::out && facts.enforces_in;
  const bool out = policy_.enforcement != Enforcement::in && facts.enforces_out;
  return facts.enforced_pkeys > 0 && (in || out);
}

/// Leaves the keys that both the port and what checks it can hold.
void Planner::make_room(std::uint32_t index, std::vector<Pkey>& keys) {
  const fabric::PortRef end = fabric_.end_ports()[index];
  const std::size_t own = std::max<std::size_t>(1, fabric_.node(end.node).pkey_capacity);
  const std::size_t front =
      checks(end) ? fabric_.node(fabric_.port(end).peer->node).switch_facts.enforced_pkeys : own;
  Full full{.end = index, .keys = keys.size(), .room = own, .at_switch = false, .dropped = {}};
  while (keys.size() > own || (keys.size() > front && distinct(keys) > front)) {
    full.at_switch = keys.size() <= own;
    full.dropped.insert(full.dropped.begin(), keys.back());
    keys.pop_back();
  }
  if (full.dropped.empty()) return;
  if (full.at_switch) full.room = front;
  full_.push_back(std::move(full));
}

void Planner::fill_tables() {
  const auto ends = fabric_.end_ports();
  tables_.resize(ends.size());
  for (std::size_t i = 0; i < ends.size(); ++i) {
    std::vector<Pkey> keys = keys_of(plan_.partitions, i);
    make_room(static_cast<std::uint32_t>(i), keys);
    const auto held = memory_.tables.find(fabric_.port(ends[i]).guid);
    const bool known = held != memory_.tables.end();
    tables_[i] = placed(keys, known ? held->second : Keys{}, index0_,
                        std::max<std::size_t>(1, fabric_.node(ends[i].node).pkey_capacity));
  }
}

std::string Planner::names_of(const std::vector<Pkey>& keys) const {
  std::string text;
  for (std::size_t i = 0; i < keys.size() && i < kNamed; ++i) {
    const auto of = std::ranges::find(plan_.partitions, partition_of(keys[i]), &Resolved::key);
    text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", of == plan_.partitions.end() ? "?" : of->name,
                        to_string(keys[i]));
  }
  if (keys.size() > kNamed) text += fmt::format(" and {} more", keys.size() - kNamed);
  return text;
}

void Planner::tell_full(const Full& full) {
  const fabric::PortRef end = fabric_.end_ports()[full.end];
  const std::string where = full.at_switch ? fmt::format("{}, which checks for {},",
                                                         fabric::describe(fabric_, *fabric_.port(end).peer),
                                                         fabric::describe(fabric_, end))
                                           : fabric::describe(fabric_, end);
  plan_.problems.push_back(
      fmt::format("partitions: {} has room for {} P_Keys and needs {}, {} too many: {} {}", where, full.room,
                  full.keys, full.keys - full.room, names_of(full.dropped),
                  policy_.overflow == Overflow::refuse ? "would have no room" : "left out"));
}

/// What was in force stays; ports it does not know are limited members of the default partition.
void Planner::fall_back() {
  plan_.refused = true;
  plan_.problems.push_back(
      before_
          ? "partitions: the policy is not in force; tables stay as they were. Mend it, or set "
            "partitions.overflow: best-effort"
          : "partitions: the policy is not in force; until it is, ports are limited members of the default "
            "partition only. Mend it, or set partitions.overflow: best-effort");
  memory_ = before_ ? *before_ : Memory{};
  const auto ends = fabric_.end_ports();
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto held = memory_.tables.find(fabric_.port(ends[i]).guid);
    if (held != memory_.tables.end()) {
      tables_[i] = held->second;
    } else {
      tables_[i] = {ends[i] == self_ ? kDefaultPkey : Pkey{kDefaultPartition}};
    }
  }
}

void Planner::set_enforcement() {
  std::size_t ports = 0;
  for (const fabric::Node& node : fabric_.nodes()) ports += std::size_t{node.port_count} + 1;
  plan_.enforced.assign(ports, Enforcement::off);
  std::set<NodeId> unable;
  const auto ends = fabric_.end_ports();
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto& peer = fabric_.port(ends[i]).peer;
    if (fabric_.is_switch(ends[i].node) || !peer || !fabric_.is_switch(peer->node)) continue;
    const fabric::SwitchFacts& facts = fabric_.node(peer->node).switch_facts;
    const auto wanted = static_cast<unsigned>(policy_.enforcement);
    const unsigned can = (facts.enforces_in ? 1u : 0u) | (facts.enforces_out ? 2u : 0u);
    if (!policy_.partitions.empty() && (wanted & ~can) != 0) unable.insert(peer->node);
    if (!checks(ends[i])) continue;
    plan_.enforced[port_index(*peer)] = static_cast<Enforcement>(wanted & can);
    // After a fall-back the old table may not fit: what fits is checked, the rest does not pass.
    Keys keys = switch_table(tables_[i], facts.enforced_pkeys).value_or(Keys{});
    if (keys.empty()) {
      keys = tables_[i];
      std::erase_if(keys, [](Pkey key) { return !is_valid(key); });
      keys.resize(std::min<std::size_t>(keys.size(), facts.enforced_pkeys));
    }
    plan_.enforced_tables.set(port_index(*peer), keys);
  }
  if (unable.empty()) return;
  plan_.notes.push_back(
      fmt::format("partitions: {} of {} switches with hosts cannot check P_Keys as asked, {} the first",
                  unable.size(), fabric_.switch_count(), fabric::describe(fabric_.node(*unable.begin()))));
}

/// An MGID belongs to the partition that names it first.
void Planner::gather_groups(const std::vector<Partition>& all) {
  std::set<Gid> taken;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (Group& group : groups_of(all[i], plan_.partitions[i].key, plan_.notes))
      if (taken.insert(group.mgid).second) plan_.groups.push_back(std::move(group));
}

void Planner::tell_membership() {
  for (const Resolved& one : plan_.partitions) {
    if (one.full <= 1 && one.limited >= 2)
      plan_.notes.push_back(
          fmt::format("partition {} ({}): {} limited members cannot talk to each other, {}", one.name,
                      to_string(Pkey{one.key}), one.limited,
                      one.full == 0 ? "and there is no full one" : "only to the one full member"));
  }
}

PlannedKeys Planner::run() {
  plan_.active = !policy_.partitions.empty() || (before_ && !before_->tables.empty());
  plan_.memory = before_;
  if (!plan_.active) {
    plan_.groups = groups_of(complete(policy_).front(), kDefaultPartition, plan_.notes);
    return std::move(plan_);
  }
  if (before_) memory_ = *before_;
  const std::vector<Partition> all = complete(policy_);
  const fabric::Finder finder(fabric_, self_);
  const auto ends = fabric_.end_ports();
  const auto self = static_cast<std::size_t>(std::ranges::lower_bound(ends, self_) - ends.begin());
  for (const Partition& one : all) {
    plan_.partitions.push_back({.name = one.name, .members = {}});
    resolve_members(plan_.partitions.back(), one, finder, ends.size(), plan_.notes);
  }
  number(plan_.partitions, all, memory_);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (plan_.partitions[i].key == kDefaultPartition) keep_reachable(plan_.partitions[i], self);
    if (all[i].at_index0) index0_.insert(plan_.partitions[i].key);
    count(plan_.partitions[i]);
  }
  fill_tables();
  for (std::size_t i = 0; i < full_.size() && i < kNamed; ++i) tell_full(full_[i]);
  if (full_.size() > kNamed)
    plan_.problems.push_back(fmt::format("partitions: {} more ports have no room", full_.size() - kNamed));
  if (!full_.empty() && policy_.overflow == Overflow::refuse) {
    fall_back();
  } else {
    gather_groups(all);
    tell_membership();
  }
  set_enforcement();
  for (std::size_t i = 0; i < ends.size(); ++i) {
    plan_.tables.set(port_index(ends[i]), tables_[i]);
    memory_.tables[fabric_.port(ends[i]).guid] = tables_[i];
  }
  const bool same = before_ && memory_ == *before_;
  plan_.memory = same ? before_ : std::make_shared<const Memory>(std::move(memory_));
  return std::move(plan_);
}

}  // namespace

PlannedKeys plan_keys(const fabric::Fabric& fabric, const Policy& policy,
                      const std::shared_ptr<const Memory>& memory, fabric::PortRef self) {
  return Planner(fabric, policy, memory, self).run();
}

}  // namespace weft::partitions
