#pragma once
// What was known of nodes that do not answer: one finding for each, with its name, instead of one for each
// neighbour.

#include "discovery/discover.h"

namespace weft::discovery {

/// Joins the mute findings behind whose ports `before` had the same node into one that names it and the ports
/// it was asked through. Those of which `before` knows nothing stay as they are. The order stays that of the
/// texts.
std::vector<Finding> name_mute(std::vector<Finding> findings, const fabric::Fabric& before);

}  // namespace weft::discovery
