#pragma once
// Unmatched: what the configuration names and the fabric has not. Nothing of it is wrong by itself, since a
// part may be away; it is mostly a slip, though.

#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "plan/config.h"

namespace weft::plan {

/// A sentence each, naming the key: routing.roots that are no switches, or carry hosts while others do not;
/// lids.fixed and names for GUIDs that are nowhere, or are not of the kind meant. In order of key, then as
/// configured. At most 20 of a key, and one that says how many more.
std::vector<std::string> unmatched(const fabric::Fabric& fabric, const Config& config);

}  // namespace weft::plan
