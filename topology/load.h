#pragma once
// Loads what a person names with --fabric: a file or a blueprint.

#include <string_view>

#include "topology/topology.h"

namespace weft::topology {

/// A file if one of that name exists, if the name contains a '/', or if it ends in .net, .topo, .lst, .txt or
/// .json; else a blueprint. A file that begins with '{' is our JSON, any other a net file or ibnetdiscover
/// listing. Errors: `unavailable` or `system` for a file that cannot be read, else those of the reader or
/// maker.
Result<Topology> load(std::string_view file_or_blueprint);

}  // namespace weft::topology
