#pragma once
// The same nodes and ports with fewer links.

#include <span>

#include "fabric/fabric.h"

namespace weft::fabric {

/// A link is told by either of its ports; a port without one is ignored. Ids of nodes, switches and ports
/// stay. Cost: O(ports).
Fabric without_links(const Fabric& fabric, std::span<const PortRef> links);

}  // namespace weft::fabric
