#pragma once
// The engines, one function each; engine.cpp lists them by name.

#include "routing/engine.h"

namespace weft::routing {

/// Minimal routes on one SL and two VLs, for dragonflies (dragonfly_shape.h). Errors: `invalid` for anything
/// else.
Result<Routes> dragonfly(const Problem& problem);
/// Minimal routes on one SL and two VLs, for Dragonfly+ (dragonfly_plus_shape.h). Errors: `invalid` for
/// anything else.
Result<Routes> dragonfly_plus(const Problem& problem);
/// D-mod-K with holes, for trees (tree_shape.h); needs one VL. Errors: `invalid` for what is no tree.
Result<Routes> fat_tree(const Problem& problem);
/// Several up*/down* orders, one for each LID offset of a host (LMC) on a VL of its own, as far as
/// Problem::max_layers goes; with one LID a host or one layer the same as up_down, but for the name.
Result<Routes> layered(const Problem& problem);
/// Shortest paths, evenly loaded; not always free of credit loops.
Result<Routes> min_hop(const Problem& problem);
/// Paths along one up*/down* order, evenly loaded; never a credit loop, every connected pair reached.
Result<Routes> up_down(const Problem& problem);

}  // namespace weft::routing
