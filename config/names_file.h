#pragma once
// OpenSM's node-name map: lines of a node GUID and a name in double quotes; '#' begins a comment.

#include <map>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "config/report.h"

namespace weft::config {

/// The names of a map; lines that are wrong are reported under `report.source`.
std::map<Guid, std::string> read_names(std::string_view text, Report& report);

}  // namespace weft::config
