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

/// What stands in such a file. `file_name` is for messages. Errors: those of the reader.
Result<Topology> read_text(std::string_view text, std::string_view file_name);

}  // namespace weft::topology
