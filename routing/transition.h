#pragma once
// Transition: from the tables in force to new ones. While switches are written one by one, a packet may meet
// the old entry at one and the new at the next. When no mixture can close a credit cycle, blocks may be sent
// in any order. Otherwise in two steps: in the first, new entries that could close a cycle with old ones are
// 255 instead; when it is confirmed, they are written. Dropped packets wait for nobody, and after the first
// step no old entry is left, so the second adds to tables that are part of the new ones, which have passed
// the check. Where no small set of such entries is found, every entry that changes is dark between; where
// SL2VL changes too, everything between switches is, and SL2VL is to be written between the steps. Source:
// reference "Routing", 4.2, 5.1.

#include <cstdint>
#include <optional>
#include <vector>

#include "routing/credit_cycle.h"
#include "routing/routes.h"

namespace weft::routing {

struct Waits;

struct Transition {
  std::uint64_t entries = 0;   ///< That change, of LIDs that somebody has, at switches with tables in force.
  bool lanes_change = false;   ///< SL2VL is to change too: never in any order.
  std::vector<Channel> cycle;  ///< That a mixture of both can close; empty when none can.
  /// Where one can: the tables of the first step.
  std::optional<Routes> dark;
  std::uint64_t dark_pairs = 0;  ///< Counted pairs that the first step does not serve.

  bool any_order() const { return cycle.empty() && !lanes_change; }
};

/// `levels_move`: SLs change their lanes for another reason; without lanes that nobody minds. `old` may be of
/// another Fabric: rows go by GUID, entries whose link is gone wait for nobody. Both tables are safe by
/// themselves. `old_waits`: of the report on the old tables; then the cost is O(links * width / 64), and for
/// each entry that changes O(width). Without: O(switches * LIDs).
Transition find_transition(const Problem& problem, const Routes& old, const Routes& now,
                           bool levels_move = false, const Waits* old_waits = nullptr);

}  // namespace weft::routing
