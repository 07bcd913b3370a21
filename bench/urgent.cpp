#include "bench/urgent.h"

#include <algorithm>
#include <vector>

namespace weft::bench {

UrgentBlocks urgent_blocks(const fabric::Fabric& fabric, const plan::Plan& plan, const plan::Plan& before) {
  const std::size_t count = fabric.switch_count();
  UrgentBlocks urgent;
  std::vector<std::shared_ptr<const routing::Lft>> old;
  for (std::uint32_t s = 0; s < count; ++s)
    old.push_back(routing::row_of(before.routes(), fabric.node(static_cast<SwitchId>(s)).guid));
  std::vector<std::size_t> leaves;
  std::vector<std::size_t> seen(count);  // by switch: LID that packets were last followed for
  for (const routing::Destination& d : plan.problem.destinations)
    if (!d.is_switch()) leaves.push_back(raw(d.at));
  std::ranges::sort(leaves);
  leaves.erase(std::ranges::unique(leaves).begin(), leaves.end());
  for (const routing::Destination& to : plan.problem.destinations) {
    if (to.is_switch()) continue;
    const std::size_t lid = raw(to.base);
    for (const std::size_t leaf : leaves) {
      for (std::size_t s = leaf; seen[s] != lid && s != raw(to.at);) {
        seen[s] = lid;
        const auto here = static_cast<SwitchId>(s);
        const PortNum port = plan.routes().out(here, to.base);
        const bool same = old[s] && lid < old[s]->size() && (*old[s])[lid] == raw(port);
        if (!same) urgent.emplace(here, raw(to.base) / 64);
        s = raw(*fabric.switch_of(fabric.ports(here)[raw(port)].peer->node));
      }
    }
  }
  return urgent;
}

}  // namespace weft::bench
