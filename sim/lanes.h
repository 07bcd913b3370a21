#pragma once
// Lanes: which VL a packet takes out of a switch, by the switch's SL2VL table as programmed. Source: IBTA
// vol. 1, 7.6.6 and 14.2.5.8.

#include "sim/world.h"

namespace weft::sim {

inline constexpr Vl kVlDrop{15};  ///< What an SL2VL entry says for "discard"; a data packet has no such lane.

/// The lane that a packet of this SL, come in by `in` (0: made by the switch itself), leaves `out` on.
/// kVlDrop when the table discards it or names a lane that the port does not operate.
Vl lane_out(const World& world, NodeIndex sw, PortNum in, PortNum out, Sl sl);

/// The lane that an HCA's port sends an SL on.
Vl lane_of_host(const World& world, PortIndex port, Sl sl);

}  // namespace weft::sim
