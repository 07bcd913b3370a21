#pragma once
// Waits: what waits for what under tables that have been checked. Kept with the report for those who put more
// traffic on the same channels (multicast.h) and have to prove the whole.

#include "routing/check_cables.h"
#include "routing/credit_cycle.h"

namespace weft::routing {

struct Waits {
  explicit Waits(const Problem& problem, std::uint32_t lane_count)
      : cables(problem),
        channels(cables.peers, cables.width, lane_count),
        lanes(lane_count),
        destinations(problem.destinations),
        longest(row_size(problem.top)) {}
  Waits(const Waits&) = delete;
  Waits& operator=(const Waits&) = delete;

  CheckCables cables;
  ChannelGraph channels;  ///< Of `cables`, with the dependencies of all counted traffic.
  std::uint32_t lanes;
  std::vector<Destination> destinations;  ///< Of the problem.
  std::vector<std::uint8_t> longest;      ///< By LID: links between switches on the longest counted path.
};

/// What waited under older tables over links that still are. The channels are of `cables`, which are the
/// fabric's; lanes are as many as they were. `switches`: GUIDs of the old ones.
ChannelGraph waits_left(const Waits& old, const std::vector<Guid>& switches, const CheckCables& cables,
                        const fabric::Fabric& fabric);

}  // namespace weft::routing
