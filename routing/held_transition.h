#pragma once
// HeldTransition: a transition from what switches hold, where that is not what a plan of ours says: after a
// take-over, a sweep that was cut short, a Set that failed.

#include "routing/transition.h"

namespace weft::routing {

/// An entry of which nothing is known: no port has this number.
inline constexpr std::uint8_t kUnknownWay = 254;

/// As find_transition; `held` may be unsafe by itself. `lanes_move`: switches that carry traffic are to get
/// another SL2VL, or it is not known what theirs is. `unsure`: `held` has entries that are kUnknownWay; then
/// every entry that changes is dark between. Cost: O(switches * LIDs).
Transition find_transition_from_held(const Problem& problem, const Routes& held, const Routes& now,
                                     bool lanes_move, bool unsure);

}  // namespace weft::routing
