#pragma once
// Links that run below what both their ends can do: a bad cable, a port that was set so, a link that trained
// badly.

#include <string>
#include <vector>

#include "fabric/fabric.h"

namespace weft::fabric {

/// Whether the link at this port, which must have one, runs slower or narrower than both its ends can. Ports
/// that can do 8x or 12x are taken for 4x, since mostly their cable is.
bool is_slow(const Fabric& fabric, PortRef port);
/// In what: "width 1x of 4x", "speed 25G of 50G"; empty when it is not slow.
std::vector<std::string> below_best(const Fabric& fabric, PortRef port);

}  // namespace weft::fabric
