#pragma once
// Multicast: the ports that a switch's tables send a group's packets by. Source: IBTA vol. 1, 18.2.4.3.

#include "mad/adaptive_routing.h"
#include "sim/world.h"

namespace weft::sim {

/// The ports by which a switch sends a multicast packet on, never the one it came in by (0: sent by the
/// switch itself). A group that the table cannot hold, or above MulticastFDBTop, takes the default ports.
mad::PortMask multicast_ports(const World& world, NodeIndex sw, Lid group, PortNum in);

}  // namespace weft::sim
