#include "routing/recognise.h"

#include <array>

#include "routing/tree_shape.h"

namespace weft::routing {

Recognised recognise(const Problem& problem) {
  const DesignGraph graph(problem);
  const Result<TreeShape> tree = tree_shape(problem, graph);
  if (tree) return {Kind::tree, describe(*tree)};
  return {Kind::arbitrary, "no shape we know; " + tree.error().what};
}

std::span<const std::string_view> engines_for(Kind kind) {
  static constexpr std::array<std::string_view, 3> kTree{"fat-tree", "min-hop", "up-down"};
  static constexpr std::array<std::string_view, 2> kArbitrary{"min-hop", "up-down"};
  if (kind == Kind::tree) return kTree;
  return kArbitrary;
}

}  // namespace weft::routing
