#pragma once
// A compressed archive (.tar.gz) of texts.

#include <ctime>
#include <span>
#include <string>

#include "base/result.h"

namespace weft::ctl {

struct ArchiveFile {
  std::string name;  ///< At most 99 bytes, directories with '/'.
  std::string text;
};

/// The archive as bytes: POSIX ustar within gzip. Errors: `invalid` for a name that is too long.
Result<std::string> archive(std::span<const ArchiveFile> files, std::time_t when);

}  // namespace weft::ctl
