#pragma once
// DragonflyShape: the design of a fabric as a dragonfly: groups of routers linked nearly each to each, and
// the global links among the groups. Dead links of the design keep their places in the lists.
//
// Links between routers of one group have many common neighbours, global ones few. Source: Kim, Dally, Scott
// and Abts, ISCA 2008; recognition as in reference "Routing", 7.2.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "routing/design.h"

namespace weft::routing {

struct DragonflyShape {
  /// One end of a global link, as its router sees it.
  struct Exit {
    std::uint32_t router = 0;
    std::uint8_t port = 0;
    bool live = false;
  };

  std::uint32_t live = 0;                           ///< Switches of the fabric.
  std::vector<std::uint32_t> group;                 ///< By switch of the design graph; by lowest GUID inside.
  std::vector<std::vector<std::uint32_t>> routers;  ///< By group: its routers, by GUID.
  std::vector<std::vector<Exit>> exits;  ///< By [group * groups + to]: by router, then port; dead ones too.
  std::size_t missing = 0;               ///< Links of the design that do not live.

  std::uint32_t groups() const { return static_cast<std::uint32_t>(routers.size()); }
  const std::vector<Exit>& between(std::uint32_t from, std::uint32_t to) const {
    return exits[from * groups() + to];
  }
};

/// Errors: `invalid` with what is missing from a dragonfly: two groups at least, three routers in one, none
/// of less than half the widest, three of four possible links inside each, and a way to leave each. Cost:
/// O(links * switches / 64).
Result<DragonflyShape> dragonfly_shape(const Problem& problem, const DesignGraph& graph);

/// "a dragonfly of 99 groups, 14 routers in each, 4851 global links, 3 links of the design missing".
std::string describe(const DragonflyShape& shape);

}  // namespace weft::routing
