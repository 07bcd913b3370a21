#pragma once
// Blueprints: fabrics described in one line, "fat-tree:radix=36,levels=3". The families and their parameters
// are in `blueprint_help`; the conventions of what is made are in topology/cabler.h.

#include <string>
#include <string_view>

#include "topology/topology.h"

namespace weft::topology {

/// Makes the fabric; the same text gives the same fabric, always.
///
/// Options of every family: `speed=NDR`, `width=4x` (4x HDR if not given), `ports=` (of every switch),
/// `rails=`, `rail-ports=1`, and holes by seed: `fail-links=`, `fail-switches=` (a count or a share like 1%),
/// `seed=`, `keep-connected=1`. Errors: `invalid`, saying what is allowed.
Result<Topology> from_blueprint(std::string_view text);

/// Every family and its parameters, a line each, for help texts.
std::string blueprint_help();

}  // namespace weft::topology
