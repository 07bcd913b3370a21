#pragma once
// The documented configuration file, etc/weft.yaml, written from the schema.

#include <string>

namespace weft::config {

/// Every key at its default, with what it takes and what it is for. Reads back as Settings{}.
std::string documented_file();

}  // namespace weft::config
