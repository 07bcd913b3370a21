#include "partitions/explain.h"

#include <algorithm>

namespace weft::partitions {

std::vector<Reason> reasons(const fabric::Fabric& fabric, const Partition& partition, fabric::PortRef port,
                            fabric::PortRef self) {
  const fabric::Finder finder(fabric, self);
  const auto ends = fabric.end_ports();
  const auto end = static_cast<std::uint32_t>(std::ranges::lower_bound(ends, port) - ends.begin());
  std::vector<Reason> found;
  std::size_t best = 0;
  int rank = -1;
  for (const Member& line : partition.members) {
    const std::vector<std::uint32_t> meant = finder.find(line.who);
    if (std::ranges::find(meant, end) == meant.end()) continue;
    const int here = partition.last_counts ? 0 : specificity(line.who.kind);
    if (here >= rank) {
      rank = here;
      best = found.size();
    }
    found.push_back(
        {describe(line.who), line.as == Membership::none ? partition.default_membership : line.as, false});
  }
  if (!found.empty()) found[best].counts = true;
  return found;
}

std::string_view words(Enforcement enforcement) {
  switch (enforcement) {
    case Enforcement::in:
      return "what comes in";
    case Enforcement::out:
      return "what goes out";
    case Enforcement::both:
      return "in both directions";
    case Enforcement::off:
      break;
  }
  return "not";
}

}  // namespace weft::partitions
