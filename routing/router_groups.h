#pragma once
// The groups of a dragonfly, found by its cables alone, also where some are dead: routers of one group have
// many neighbours in common, and nearly every one of a group is linked to every other.

#include <cstdint>
#include <vector>

#include "routing/design.h"

namespace weft::routing {

/// By switch: the lowest of its group. Links are taken by their number of common neighbours, the most first,
/// and join what lies at their ends when more than half of all possible links between the two are there: so a
/// global link, one among many places for it, joins nothing. Cost: O(links * switches / 64).
std::vector<std::uint32_t> find_router_groups(const DesignGraph& graph);

}  // namespace weft::routing
