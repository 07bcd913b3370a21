#pragma once
// What ways in a dragonfly or Dragonfly+ carried that are dead goes elsewhere: LID by LID, at every switch
// whose packets no longer arrive, by the neighbour behind which the links have least to carry (link_loads.h).
// A way is taken when it makes no packets wait for each other in a circle, on the lanes of group_lanes.h,
// given all ways that stand (given_ways.h) and the ways found before (wait_order.h). Packets that still
// arrive keep their ways. The answer depends on the design and on what lives of it, and on nothing else.
//
// All is dealt up to 16 times. LIDs for which no way was left come first the next time, and then each entry
// is chosen that adds the fewest waits, since those leave room for others; links that were the fullest cost
// more. Once all have a way, all is dealt up to 64 times, each in another order. The attempt counts that
// serves most LIDs, and of these the one whose fullest link is the emptiest.

#include <vector>

#include "routing/given_ways.h"

namespace weft::routing {

/// By switch: its entries in place of given ones that do not lead there. LIDs that no way was found to have
/// none. Nothing where the given ways themselves make packets wait in a circle. Cost: O(switches^2), and for
/// each entry O(ports * length) and the search for circles.
std::vector<std::vector<Lft::Entry>> displaced_entries(const Problem& problem, const LidOwners& owners,
                                                       const GroupCables& cables, GivenWays& given,
                                                       const Lanes& lanes);

}  // namespace weft::routing
