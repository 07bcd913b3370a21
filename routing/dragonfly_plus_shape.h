#pragma once
// DragonflyPlusShape: the design of a fabric as a Dragonfly+: groups of leaves and spines, each leaf linked
// to nearly every spine of its group; hosts on leaves, links to other groups on spines. Dead links of the
// design keep their places in the lists.
//
// Source: Shpiner et al., Dragonfly+, HiPINEB 2017; recognition as in reference "Routing", 7.2.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "routing/design.h"

namespace weft::routing {

struct DragonflyPlusShape {
  /// A link from a spine to a group, as that spine sees it.
  struct Exit {
    std::uint32_t spine = 0;  ///< Place among the spines of its group.
    std::uint8_t port = 0;
    std::uint32_t far = 0;  ///< Place of the spine at the other end among those of that group.
    bool live = false;
  };
  struct Place {
    std::uint32_t group = 0;
    std::uint32_t index = 0;  ///< Among the leaves or the spines of the group.
    bool spine = false;
  };

  std::uint32_t live = 0;                          ///< Switches of the fabric.
  std::vector<Place> place;                        ///< By switch of the design graph.
  std::vector<std::vector<std::uint32_t>> leaves;  ///< By group, which go by lowest GUID; inside by GUID.
  std::vector<std::vector<std::uint32_t>> spines;  ///< Likewise.
  std::vector<std::vector<Exit>> exits;  ///< By [group * groups + to]: by spine, then port; dead ones too.
  std::size_t missing = 0;               ///< Links of the design that do not live.

  std::uint32_t groups() const { return static_cast<std::uint32_t>(leaves.size()); }
  const std::vector<Exit>& between(std::uint32_t from, std::uint32_t to) const {
    return exits[from * groups() + to];
  }
};

/// Leaves are the switches with hosts; if that does not fit, those with at least half as many as any has.
/// Errors: `invalid` with what is missing: two groups at least, each of leaves and spines with three of four
/// possible links inside, no other links there, and half of all pairs of groups linked. Cost: O(links).
Result<DragonflyPlusShape> dragonfly_plus_shape(const Problem& problem, const DesignGraph& graph);

/// "a Dragonfly+ of 32 groups, 18 leaves and 18 spines in each, 5022 global links".
std::string describe(const DragonflyPlusShape& shape);

}  // namespace weft::routing
