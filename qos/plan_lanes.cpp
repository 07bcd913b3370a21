#include "qos/plan_lanes.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/words.h"

namespace weft::qos {
namespace {

constexpr int kSls = 15;  ///< SL 15 is management's VL.

void give_sls(LanePlan& plan, const AssignedSls& kept) {
  std::set<int> taken;
  for (const PlannedLevel& one : plan.levels)
    if (one.level.sl) taken.insert(raw(*one.level.sl));
  const auto assign = [&](PlannedLevel& one, int sl) {
    one.sl = static_cast<Sl>(sl);
    taken.insert(sl);
    plan.assigned[one.level.name] = static_cast<std::uint8_t>(sl);
  };
  for (PlannedLevel& one : plan.levels) {
    const auto before = kept.find(one.level.name);
    if (one.level.sl)
      one.sl = *one.level.sl;
    else if (before != kept.end() && !taken.contains(before->second))
      assign(one, before->second);
  }
  for (PlannedLevel& one : plan.levels) {
    if (one.level.sl || plan.assigned.contains(one.level.name)) continue;
    int sl = 0;
    while (taken.contains(sl) && sl < kSls) ++sl;
    assign(one, std::min(sl, kSls - 1));
  }
}

/// Levels with one SL are one to the lanes: what they differ in is for paths alone.
void give_blocks(LanePlan& plan, int link_vls) {
  std::vector<const PlannedLevel*> of_block;
  std::map<Sl, int> wanted;
  for (const PlannedLevel& one : plan.levels)
    if (wanted.emplace(one.sl, static_cast<int>(of_block.size())).second) of_block.push_back(&one);
  const int count = static_cast<int>(of_block.size());
  plan.blocks = std::clamp(link_vls / plan.demand, 1, std::max(1, count));
  for (PlannedLevel& one : plan.levels) one.block = std::min(wanted.at(one.sl), plan.blocks - 1);
  if (count <= plan.blocks || plan.typed) return;
  std::string sharing;
  for (int i = plan.blocks - 1; i < count; ++i)
    sharing += (sharing.empty() ? "" : ", ") + of_block[static_cast<std::size_t>(i)]->level.name;
  plan.problems.push_back(fmt::format(
      "qos: {} levels need {} VLs, {} each, and links between switches have {}: {} share theirs. {} "
      "would fit, or links with {} VLs (links.max_vls)",
      count, count * plan.demand, plan.demand, link_vls, sharing,
      counted(static_cast<std::uint64_t>(plan.blocks), "level"), count * plan.demand));
}

void give_shares(LanePlan& plan) {
  double sum[2] = {0, 0};
  std::set<Sl> seen;
  for (PlannedLevel& one : plan.levels) {
    one.first_of_sl = seen.insert(one.sl).second;
    if (one.first_of_sl) sum[one.level.strict] += one.level.weight;
  }
  for (PlannedLevel& one : plan.levels) one.share = one.level.weight / std::max(1.0, sum[one.level.strict]);
}

}  // namespace

Vl LanePlan::vl(Sl sl, int lane, int link_vls, Egress by) const {
  if (typed) return folded(typed->of(by).sl2vl[raw(sl)], link_vls);
  if (raw(sl) == kSls) return Vl{15};
  const int layer = raw(sl) < layers ? raw(sl) : 0;
  const int block = levels.empty() ? layer : levels[level_of[raw(sl)]].block;
  const int planned = by == Egress::switch_to_switch ? block * demand + lane : block;
  return static_cast<Vl>(std::min(planned, std::max(1, link_vls) - 1));
}

LanePlan plan_lanes(const Policy& policy, int demand, int link_vls, const AssignedSls& kept) {
  LanePlan plan;
  plan.demand = std::max(1, demand);
  if (plan.demand == 1)
    plan.typed = policy.tables;
  else if (policy.tables)
    plan.problems.push_back(fmt::format(
        "qos: qos.tables is not in force: routing needs {} VLs, which typed tables do not tell apart. Take "
        "levels with weights, or an engine that needs one VL (routing.engine: up-down)",
        plan.demand));
  for (const Level& level : policy.levels) plan.levels.push_back({.level = level});
  if (plan.levels.empty()) return plan;
  give_sls(plan, kept);
  give_blocks(plan, link_vls);
  give_shares(plan);
  for (std::size_t i = 0; i < plan.levels.size(); ++i)
    if (plan.levels[i].level.name == policy.default_level) plan.default_level = i;
  plan.level_of.fill(static_cast<std::uint8_t>(plan.default_level));
  for (std::size_t i = 0; i < plan.levels.size(); ++i)
    if (plan.levels[i].first_of_sl) plan.level_of[raw(plan.levels[i].sl)] = static_cast<std::uint8_t>(i);
  return plan;
}

bool same_lanes(const LanePlan& a, const LanePlan& b) {
  if (a.demand != b.demand) return false;
  for (int sl = 0; sl < kSls; ++sl)
    if (a.vl(static_cast<Sl>(sl), 0, kSls, Egress::switch_to_switch) !=
        b.vl(static_cast<Sl>(sl), 0, kSls, Egress::switch_to_switch))
      return false;
  return true;
}

std::vector<LaneShare> shares(const LanePlan& plan, const std::vector<int>& lanes, int link_vls, Egress by) {
  std::map<Vl, LaneShare> by_vl;
  const bool to_host = by != Egress::switch_to_switch;
  const std::size_t each = to_host ? 1 : std::max<std::size_t>(1, lanes.size());
  for (const PlannedLevel& one : plan.levels) {
    if (!one.first_of_sl) continue;
    for (std::size_t i = 0; i < each; ++i) {
      const int lane = to_host || lanes.empty() ? 0 : lanes[i];
      const Vl vl = plan.vl(one.sl, lane, link_vls, by);
      LaneShare& share = by_vl.try_emplace(vl, LaneShare{.vl = vl}).first->second;
      share.share += one.share / static_cast<double>(each);
      share.strict = share.strict || one.level.strict;
    }
  }
  std::vector<LaneShare> all;
  for (const auto& [vl, share] : by_vl) all.push_back(share);
  return all;
}

}  // namespace weft::qos
