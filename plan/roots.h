#pragma once
// The switches that the configuration names as roots of the routing.

#include <string>
#include <string_view>
#include <vector>

#include "fabric/fabric.h"

namespace weft::plan {

struct Roots {
  std::vector<Guid> guids;         ///< Node GUIDs, rising, each once.
  std::vector<std::string> notes;  ///< Words that mean no switch.
};

/// Each word is a switch's node GUID, or a name in which `*` stands for any text and `?` for any one
/// character.
Roots find_roots(const fabric::Fabric& fabric, const std::vector<std::string>& words);

/// Whether `text` is what `pattern` describes. Cost: O(pattern * text) at worst.
bool matches(std::string_view pattern, std::string_view text);

}  // namespace weft::plan
