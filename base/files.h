#pragma once
// Files, read as a whole.

#include <filesystem>
#include <string>

#include "base/result.h"

namespace weft::inline base {

/// All bytes of a file. Errors: `not_found` or `system`, with its name and what the system said: also for a
/// directory.
Result<std::string> read_file(const std::filesystem::path& path);

}  // namespace weft::inline base
