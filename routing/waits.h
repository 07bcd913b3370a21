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

/// Calls use(switch, port, lane, port of the next switch, lane there) for all that waited under older tables
/// over links that still are; switches are those of `cables`, which are the fabric's. `switches`: GUIDs of
/// the old ones.
template <typename Use>
void each_wait_left(const Waits& old, const std::vector<Guid>& switches, const CheckCables& cables,
                    const fabric::Fabric& fabric, const Use& use) {
  std::vector<std::uint32_t> now_at(switches.size(), CheckCables::kDead);
  for (std::uint32_t s = 0; s < switches.size(); ++s) {
    const auto node = fabric.find(switches[s]);
    const auto at = node ? fabric.switch_of(*node) : std::nullopt;
    if (at) now_at[s] = raw(*at);
  }
  old.channels.each_wait([&](const Channel& held, PortNum out, Vl lane) {
    const std::uint32_t s = now_at[raw(held.from)];
    const std::uint16_t old_next = old.cables.peer(raw(held.from), raw(held.port));
    if (s >= cables.count || old_next >= switches.size()) return;
    // A switch that is gone is not the dead end that its links lead to now.
    const std::uint32_t next = now_at[old_next];
    if (next < cables.count && cables.peer(s, raw(held.port)) == next && raw(out) < cables.width)
      use(s, held.port, held.vl, out, lane);
  });
}

}  // namespace weft::routing
