#pragma once
// The configuration reference, written from the schema: docs/configuration.md and the manual page
// weft.yaml(5).

#include <string>

namespace weft::config {

std::string reference_markdown();
/// In the macros of man(7).
std::string reference_manual();

}  // namespace weft::config
