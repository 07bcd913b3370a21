#pragma once
// Named loggers, one a folder of the shell. Pure folders have none and return notes.

#include <memory>
#include <string>

#include <spdlog/logger.h>

#include "base/result.h"

namespace weft::log {

struct Settings {
  std::string level = "info";  ///< trace, debug, info, warning, error
  /// Empty: standard error only. Otherwise this file as well, rotated.
  std::string file;
  std::size_t file_bytes = 16u << 20;  ///< Size at which a file is rotated.
  int files_kept = 4;
};

/// Sets up the sinks for the whole process: standard error (with a "<6>"-style priority and no time stamp when it goes
/// to the journal) and the file. Loggers handed out before follow. Errors: `system` when the file cannot be opened.
Result<void> configure(const Settings& settings);

/// Lines of this thread begin with the name of a subnet from now on; empty: with none.
void set_subnet(std::string name);

/// The logger of a folder; made at the first call.
std::shared_ptr<spdlog::logger> named(const std::string& folder);

}  // namespace weft::log
