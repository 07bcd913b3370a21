#pragma once
// leave_out: a discovery without some of its nodes: those that planning cannot use. Pure.

#include <span>

#include "discovery/discover.h"

namespace weft::discovery {

/// What was found, without the nodes of these findings and what only they lead to; the findings are added.
/// Ports towards a node left out count as dangling, with the node as heard. Our own node must not be named.
Discovered leave_out(const Discovered& found, std::span<const Finding> findings);

}  // namespace weft::discovery
