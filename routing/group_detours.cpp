#include "routing/group_detours.h"

#include <algorithm>

#include <fmt/format.h>

namespace weft::routing {

GroupDetours group_detours(std::uint32_t groups,
                           const std::function<bool(std::uint32_t, std::uint32_t)>& linked, Detour which,
                           std::uint32_t variant) {
  const std::size_t most = which == Detour::only_one ? 1 : GroupDetours::kMost;
  GroupDetours detours{groups, std::vector<std::vector<std::uint32_t>>(std::size_t{groups} * groups), 0};
  for (std::uint32_t from = 0; from < groups; ++from) {
    for (std::uint32_t to = 0; to < groups; ++to) {
      if (from == to || linked(from, to)) continue;
      std::vector<std::uint32_t>& via = detours.via[from * groups + to];
      for (int order = 0; order <= 2 && (via.empty() || which == Detour::any); ++order)
        for (std::uint32_t x = 0; x < groups; ++x)
          if (x != from && x != to && GroupDetours::preference(from, x, to) == order && linked(from, x) &&
              linked(x, to))
            via.push_back(x);
      detours.count += via.empty() ? 0 : 1;
      if (via.size() <= most) continue;
      std::ranges::rotate(via,
                          via.begin() + static_cast<std::ptrdiff_t>((from * 31 + to + variant) % via.size()));
      via.resize(most);
    }
  }
  return detours;
}

std::string describe(const GroupDetours& detours) {
  if (detours.count == 0) return {};
  return fmt::format("{} pairs of groups have no link left and go by other groups", detours.count);
}

}  // namespace weft::routing
