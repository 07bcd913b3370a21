#include "routing/group_detours.h"

#include <fmt/format.h>

namespace weft::routing {

GroupDetours group_detours(std::uint32_t groups,
                           const std::function<bool(std::uint32_t, std::uint32_t)>& linked) {
  GroupDetours detours{groups, std::vector<std::uint32_t>(std::size_t{groups} * groups, GroupDetours::kNone),
                       0};
  std::vector<std::uint32_t> candidates;
  for (std::uint32_t from = 0; from < groups; ++from) {
    for (std::uint32_t to = 0; to < groups; ++to) {
      if (from == to || linked(from, to)) continue;
      for (const int order : {0, 1, 2}) {
        candidates.clear();
        for (std::uint32_t x = 0; x < groups; ++x)
          if (x != from && x != to && GroupDetours::preference(from, x, to) == order && linked(from, x) &&
              linked(x, to))
            candidates.push_back(x);
        if (candidates.empty()) continue;
        detours.via[from * groups + to] = candidates[(from * 31 + to) % candidates.size()];
        ++detours.count;
        break;
      }
    }
  }
  return detours;
}

std::string describe(const GroupDetours& detours) {
  if (detours.count == 0) return {};
  return fmt::format("{} pairs of groups have no link left and go by a third group", detours.count);
}

}  // namespace weft::routing
