#pragma once
// The bytes of a file that a person named.

#include <string>

#include "base/result.h"

namespace weft::config {

/// Reads a regular file of at most kMaxFileBytes (config/parse.h), or /dev/null, which is empty. Blocks;
/// never waits on a pipe or device. Errors: `unavailable`, naming the file and the reason.
Result<std::string> slurp(const std::string& path);

}  // namespace weft::config
