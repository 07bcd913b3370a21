#pragma once
// The configuration in force, value by value, with where each comes from.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/read.h"

namespace weft::config {

struct Row {
  std::string key;
  std::string value;           ///< As it would stand in the file.
  std::string default_value;   ///< The same.
  std::string origin;          ///< "default", "/etc/weft/weft.yaml:12", "command line".
  bool needs_restart = false;  ///< A change is refused at a reload.
  bool operator==(const Row&) const = default;
};

/// Every key, in the order of the schema.
std::vector<Row> rows(const Loaded& loaded);

/// Rows in columns; long values are cut at `most` bytes. Ends with a newline.
std::string table(std::span<const Row> rows, std::size_t most = 60);

}  // namespace weft::config
