#pragma once
// The families of blueprints, each in a file of its own. A family reads its parameters, checks that the
// result can exist, and gives switches, links and host slots to the cabler; the blueprint reader does what
// all have in common.

#include "topology/cabler.h"
#include "topology/params.h"

namespace weft::topology {

struct Drawing {
  Cabler cabler;
  HostPlan hosts;
  std::uint32_t radix = 0;  ///< Ports of every switch; 0: as many as the widest of its role uses.
};

Result<Drawing> draw_fat_tree(Params& params);
Result<Drawing> draw_xgft(Params& params);
Result<Drawing> draw_dragonfly(Params& params);
Result<Drawing> draw_dragonfly_plus(Params& params);
Result<Drawing> draw_torus(Params& params);
Result<Drawing> draw_mesh(Params& params);
Result<Drawing> draw_ring(Params& params);
Result<Drawing> draw_chain(Params& params);
Result<Drawing> draw_hypercube(Params& params);
Result<Drawing> draw_star(Params& params);
Result<Drawing> draw_random(Params& params);

}  // namespace weft::topology
