#pragma once
// What `weftctl plan --dump DIR` writes: the planned fabric for other programs to judge.

#include <string>
#include <vector>

#include "base/result.h"
#include "plan/view.h"

namespace weft::ctl {

/// OpenSM's dump files (plan/dump_opensm.h) and, where port sets are planned, port-sets.json, into a
/// directory, which is made when missing. Returns: the paths. Errors: `system` with what could not be
/// written.
Result<std::vector<std::string>> write_dump(const plan::View& view, const std::string& directory);

}  // namespace weft::ctl
