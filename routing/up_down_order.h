#pragma once
// One order of all switches for up*/down* routing: a link goes up towards the switch that comes earlier.
// Whatever the tables do, as long as no path turns from down to up, no cycle of waiting buffers can close.
//
// The usual order is by rank below the roots. In a tree it has many tops, and two switches without a common
// one above them cannot meet: one dead link and a leaf loses the switches behind it. So the order is *grown*:
// from one start switch on, always the highest-ranking switch next to those already in. Every switch then has
// a way up to the start, so every two can meet, and in a tree, complete or damaged, the shortest paths
// between leaves stay allowed: a spine comes before all leaves bar the few the growth had to pass, which then
// serve as the tops where its planes meet.

#include <string>
#include <vector>

#include "routing/switch_graph.h"

namespace weft::routing {

struct UpDownOrder {
  std::vector<std::uint32_t> switches;  ///< First to last; part by part where the fabric has several.
  std::vector<std::uint32_t> position;  ///< By switch: its place in `switches`.
  std::vector<std::string> notes;       ///< Which roots, given or found, and which of the given are unknown.
};

/// Rank is the distance to the nearest root of the problem; without any, nearness to the top, being the
/// distance from the nearest switch with hosts. The start is the most central of the highest rank. Ties go to
/// the lower GUID.
UpDownOrder up_down_order(const Problem& problem, const SwitchGraph& graph);

/// The first is that of up_down_order; each further one starts, among the switches of highest rank, where it
/// is farthest from the starts before.
std::vector<UpDownOrder> up_down_orders(const Problem& problem, const SwitchGraph& graph, int count);

}  // namespace weft::routing
