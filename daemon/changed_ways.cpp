#include "daemon/changed_ways.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace weft::daemon {
namespace {

/// The owner of every LID up to the highest given, by LID; 0 where there is none.
std::vector<Guid> owners(const PlannedFabric& one) {
  std::vector<Guid> by_lid(std::size_t{raw(one.plan.lids.top)} + 1);
  const auto ends = one.fabric.end_ports();
  const std::size_t known = std::min(ends.size(), one.plan.lids.of_end_port.size());
  for (std::size_t i = 0; i < known; ++i) {
    const plan::LidRange range = one.plan.lids.of_end_port[i];
    if (range.base == kLidNone) continue;
    for (std::size_t k = 0; k < static_cast<std::size_t>(range.size()); ++k)
      if (raw(range.base) + k < by_lid.size()) by_lid[raw(range.base) + k] = one.fabric.port(ends[i]).guid;
  }
  return by_lid;
}

}  // namespace

ChangedWays changed_ways(const PlannedFabric& before, const PlannedFabric& after) {
  const std::vector<Guid> old_owner = owners(before);
  const std::vector<Guid> new_owner = owners(after);
  std::vector<std::size_t> kept;  // LIDs
  for (std::size_t lid = 0; lid < std::min(old_owner.size(), new_owner.size()); ++lid)
    if (new_owner[lid] != Guid{} && old_owner[lid] == new_owner[lid]) kept.push_back(lid);
  const routing::Routes& was = before.plan.routes();
  const routing::Routes& now = after.plan.routes();
  std::unordered_map<Guid, const routing::Lft*> old_row;
  for (std::size_t s = 0; s < was.switches.size(); ++s) old_row[was.switches[s]] = was.lfts[s].get();
  ChangedWays changed;
  for (std::size_t s = 0; s < now.switches.size(); ++s) {
    const auto found = old_row.find(now.switches[s]);
    if (found == old_row.end() || found->second == now.lfts[s].get()) continue;
    const routing::Lft& old_lft = *found->second;
    const routing::Lft& lft = *now.lfts[s];
    const auto entries = static_cast<std::size_t>(std::ranges::count_if(kept, [&](std::size_t lid) {
      return lid < old_lft.size() && lid < lft.size() && old_lft[lid] != lft[lid];
    }));
    changed.entries += entries;
    changed.switches += entries > 0 ? 1 : 0;
  }
  return changed;
}

}  // namespace weft::daemon
