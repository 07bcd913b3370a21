#include "routing/recognise.h"

#include <array>

#include "routing/dragonfly_plus_shape.h"
#include "routing/dragonfly_shape.h"
#include "routing/tree_shape.h"

namespace weft::routing {

Recognised recognise(const Problem& problem) {
  const DesignGraph graph(problem);
  if (graph.live == 0) return {Kind::arbitrary, "no switches", nullptr};
  Result<TreeShape> tree = tree_shape(problem, graph);
  if (tree) {
    std::string evidence = describe(*tree);
    return {Kind::tree, std::move(evidence), std::make_shared<const TreeShape>(std::move(*tree))};
  }
  const Result<DragonflyShape> dragonfly = dragonfly_shape(problem, graph);
  if (dragonfly) return {Kind::dragonfly, describe(*dragonfly), nullptr};
  const Result<DragonflyPlusShape> plus = dragonfly_plus_shape(problem, graph);
  if (plus) return {Kind::dragonfly_plus, describe(*plus), nullptr};
  if (problem.design) return without_design(problem, recognise);
  return {Kind::arbitrary,
          "no shape we know; " + tree.error().what + "; " + dragonfly.error().what + "; " + plus.error().what,
          nullptr};
}

std::span<const std::string_view> engines_for(Kind kind) {
  static constexpr std::array<std::string_view, 3> kTree{"fat-tree", "min-hop", "up-down"};
  static constexpr std::array<std::string_view, 3> kDragonfly{"dragonfly", "min-hop", "up-down"};
  static constexpr std::array<std::string_view, 3> kDragonflyPlus{"dragonfly+", "min-hop", "up-down"};
  static constexpr std::array<std::string_view, 2> kArbitrary{"min-hop", "up-down"};
  if (kind == Kind::tree) return kTree;
  if (kind == Kind::dragonfly) return kDragonfly;
  if (kind == Kind::dragonfly_plus) return kDragonflyPlus;
  return kArbitrary;
}

}  // namespace weft::routing
