#pragma once
// Waits: what waits for what under tables that have been checked. Kept with the report for those who put more
// traffic on the same channels (multicast.h) and have to prove the whole.

#include "routing/check_cables.h"
#include "routing/credit_cycle.h"

namespace weft::routing {

struct Waits {
  explicit Waits(const Problem& problem, std::uint32_t lane_count)
      : cables(problem), channels(cables.peers, cables.width, lane_count), lanes(lane_count) {}
  Waits(const Waits&) = delete;
  Waits& operator=(const Waits&) = delete;

  CheckCables cables;
  ChannelGraph channels;  ///< Of `cables`, with the dependencies of all counted traffic.
  std::uint32_t lanes;
};

}  // namespace weft::routing
