#pragma once
// Engine: a way to compute Routes. A new one is a new file and a line in the table of engine.cpp.

#include <span>
#include <string_view>

#include "base/result.h"
#include "routing/routes.h"

namespace weft::routing {

struct Engine {
  std::string_view name;
  /// Errors: `unsafe` or `invalid` with the reason in plain words when the engine cannot serve this fabric.
  /// Whether the answer is right is not the engine's word but `check`'s.
  Result<Routes> (*compute)(const Problem& problem);
};

/// Every engine, in order of name.
std::span<const Engine> engines();
/// Null for a name nobody has.
const Engine* find_engine(std::string_view name);

}  // namespace weft::routing
