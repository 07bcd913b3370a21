#include "sim/conditions.h"

namespace weft::sim {

void Conditions::set_link(const World& world, PortIndex end, LinkCondition condition) {
  for (const PortIndex p : {end, world.port(end).peer}) {
    if (p == kNoPort) continue;
    if (condition == LinkCondition{})
      links_.erase(raw(p));
    else
      links_[raw(p)] = condition;
  }
}

void Conditions::set_agent(NodeIndex n, AgentCondition condition) {
  if (condition == AgentCondition{})
    agents_.erase(raw(n));
  else
    agents_[raw(n)] = condition;
}

void Conditions::refuse(NodeIndex n, Refusal refusal) { refusals_[raw(n)].push_back(refusal); }

void Conditions::end_refusals(NodeIndex n) { refusals_.erase(raw(n)); }

const LinkCondition* Conditions::link(PortIndex end) const {
  if (links_.empty()) return nullptr;
  const auto found = links_.find(raw(end));
  return found == links_.end() ? nullptr : &found->second;
}

const AgentCondition* Conditions::agent(NodeIndex n) const {
  if (agents_.empty()) return nullptr;
  const auto found = agents_.find(raw(n));
  return found == agents_.end() ? nullptr : &found->second;
}

std::optional<mad::Status> Conditions::refused(NodeIndex n, mad::Method method, mad::AttrId attribute) {
  if (refusals_.empty()) return std::nullopt;
  const auto found = refusals_.find(raw(n));
  if (found == refusals_.end()) return std::nullopt;
  for (Refusal& refusal : found->second) {
    if (refusal.method != method || refusal.attribute != attribute || refusal.times == 0) continue;
    if (refusal.times > 0) --refusal.times;
    return refusal.status;
  }
  return std::nullopt;
}

}  // namespace weft::sim
