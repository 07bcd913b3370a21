#include "plan/multicast.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace weft::plan {
namespace {

constexpr std::uint8_t kReceives = 1 | 2;  // full and non-members; those that only send need a way in alone
constexpr std::size_t kMostProblems = 20;

std::shared_ptr<const routing::MulticastBasis> basis_of(const View& view) {
  return std::make_shared<const routing::MulticastBasis>(problem_of(view), view.plan->routes(),
                                                         view.plan->routing.report.waits);
}

/// Where a member's packets enter and leave the switches; nothing for a port that is not here.
std::optional<routing::MulticastMember> place_of(const View& view, const SaState& state, Guid guid,
                                                 const McMember& member) {
  const fabric::Fabric& fabric = *view.fabric;
  auto port = fabric.find_port(guid);
  if (!port)
    if (const AliasGuid* alias = state.aliases.find(guid)) port = fabric.find_port(alias->port);
  if (!port) return std::nullopt;
  routing::MulticastMember place;
  place.receives = (member.join_state & kReceives) != 0;
  if (const auto itself = fabric.switch_of(port->node)) {
    place.at = *itself;
    return place;
  }
  const auto peer = fabric.port(*port).peer;
  const auto leaf = peer ? fabric.switch_of(peer->node) : std::nullopt;
  if (!leaf) return std::nullopt;
  place.at = *leaf;
  place.port = peer->port;
  return place;
}

/// Each port once: one of its memberships is enough to receive.
void merge(std::vector<routing::MulticastMember>& members) {
  std::ranges::sort(members, [](const auto& a, const auto& b) {
    return std::tuple(a.at, a.port, !a.receives) < std::tuple(b.at, b.port, !b.receives);
  });
  const auto [first, last] = std::ranges::unique(
      members, [](const auto& a, const auto& b) { return a.at == b.at && a.port == b.port; });
  members.erase(first, last);
}

/// MLIDs of groups that are new, gone, or have other members.
std::set<Lid> changed_mlids(const McGroups& before, const McGroups& after) {
  std::set<Lid> changed;
  McGroups::Map::differences(
      before.map(), after.map(),
      [&](const Gid& mgid, const McGroups::GroupPtr& group) {
        changed.insert(group->mlid);
        if (const auto old = before.find(mgid)) changed.insert(old->mlid);
      },
      [&](const Gid& mgid) { changed.insert(before.find(mgid)->mlid); });
  return changed;
}

/// A tree that is safe on a lane of its own alone is not programmed, since nobody gives it one.
void refuse_unsafe(const routing::MulticastBasis& basis, const routing::MulticastGroup& group,
                   routing::MulticastTree& tree) {
  if (!tree.own_lane) return;
  tree.branches.clear();
  tree.unserved = group.members;
  tree.why = basis.why().empty() ? "no tree on the lanes of unicast joins them" : basis.why();
}

void add_problems(MulticastPlan& plan, const routing::MulticastTree& tree) {
  if (tree.unserved.empty() || plan.problems.size() >= kMostProblems) return;
  plan.problems.push_back(fmt::format("{} members of multicast LID 0x{:04x} are not reached: {}",
                                      tree.unserved.size(), raw(tree.mlid), tree.why));
}

std::shared_ptr<const MulticastTables> tables_of(const MulticastPlan& plan) {
  auto tables = std::make_shared<MulticastTables>(plan.view->fabric->switch_count());
  for (const auto& [mlid, tree] : plan.trees)
    for (const routing::MulticastTree::Branch& branch : tree->branches)
      (*tables)[raw(branch.at)].push_back({mlid, branch.ports});
  return tables;
}

}  // namespace

std::shared_ptr<const MulticastPlan> plan_multicast(std::shared_ptr<const View> view, const SaState& state,
                                                    const MulticastPlan* before) {
  auto plan = std::make_shared<MulticastPlan>();
  plan->view = std::move(view);
  plan->groups = state.groups;
  plan->all = before == nullptr || before->view->plan != plan->view->plan;
  plan->basis = plan->all ? basis_of(*plan->view) : before->basis;
  if (!plan->all) plan->trees = before->trees;
  const std::set<Lid> wanted = changed_mlids(plan->all ? McGroups() : before->groups, state.groups);
  std::map<Lid, routing::MulticastGroup> groups;
  for (const Lid mlid : wanted) groups[mlid].mlid = mlid;
  state.groups.each([&](const McGroup& group) {
    const auto into = groups.find(group.mlid);
    if (into == groups.end()) return;
    group.members.each([&](Guid guid, const McMember& member) {
      if (const auto place = place_of(*plan->view, state, guid, member))
        into->second.members.push_back(*place);
    });
  });
  std::vector<routing::MulticastGroup> list;
  for (auto& [mlid, group] : groups) {
    merge(group.members);
    plan->trees.erase(mlid);
    if (!group.members.empty()) list.push_back(std::move(group));
  }
  std::vector<routing::MulticastTree> made = routing::multicast_trees(*plan->basis, list);
  for (std::size_t i = 0; i < made.size(); ++i) {
    routing::MulticastTree& tree = made[i];
    refuse_unsafe(*plan->basis, list[i], tree);
    add_problems(*plan, tree);
    const Lid mlid = tree.mlid;
    plan->trees[mlid] = std::make_shared<const routing::MulticastTree>(std::move(tree));
  }
  plan->changed.assign(wanted.begin(), wanted.end());
  plan->tables = tables_of(*plan);
  state.groups.each([&plan](const McGroup& group) { plan->top = std::max(plan->top, group.mlid); });
  return plan;
}

}  // namespace weft::plan
