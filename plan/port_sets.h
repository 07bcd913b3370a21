#pragma once
// Port sets as the configuration wants them: numbered, cut down to the room that switches have, and proven.

#include <memory>
#include <string>
#include <vector>

#include "plan/config.h"
#include "routing/port_sets.h"

namespace weft::plan {

/// Null where none are wanted, there are none for such tables, or their check fails; why, and what was given
/// up, is added to `notes`. `before`, which may be null, is handed out again when nothing has changed.
std::shared_ptr<const routing::PortSets> plan_port_sets(
    const routing::Problem& problem, const routing::Routes& routes, const PortSetOptions& options,
    const std::shared_ptr<const routing::PortSets>& before, std::vector<std::string>& notes);

}  // namespace weft::plan
