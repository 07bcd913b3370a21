#pragma once
// Recognise: what shape a fabric has, told with evidence, and which engines suit it.
// Source: reference "Routing", 7.2.

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "routing/routes.h"

namespace weft::routing {

enum class Kind { tree, dragonfly, dragonfly_plus, arbitrary };

struct Recognised {
  Kind kind = Kind::arbitrary;
  std::string evidence;  ///< "a tree of 3 ranks, 648/648/324 switches, 12 links of the design missing".
  std::shared_ptr<const TreeShape> tree;  ///< Of a tree, for its engine (Problem::tree).
};

/// Cost: O(links log links).
Recognised recognise(const Problem& problem);

/// What "auto" tries, in order; ends in up-down.
std::span<const std::string_view> engines_for(Kind kind);

}  // namespace weft::routing
