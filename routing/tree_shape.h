#pragma once
// TreeShape: the design of a fabric as a tree: ranks, for each switch its ways up by slot (dead and missing
// ones keep theirs), and the topological number of every host and switch that D-mod-K counts by.
//
// A tree is any fabric whose links between switches all join neighbouring ranks: PGFT and XGFT,
// oversubscribed or uneven, in several rails, with parallel links and holes. Source: reference
// "Routing", 1.1, 1.5, 7.2, 7.3.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "routing/design.h"

namespace weft::routing {

struct TreeShape {
  static constexpr std::uint8_t kHole = 255;

  /// Ways up of one switch. Slot i leads to parent `to[i]`; link j of it is entry i * links + j.
  struct Up {
    std::uint32_t slots = 0;   ///< Parents by design.
    std::uint32_t links = 0;   ///< Most parallel links to one of them.
    std::uint32_t spread = 0;  ///< Of `links`, those that flows are dealt over; slots * spread < 255.
    std::uint32_t first_to = 0;
    std::uint32_t first_port = 0;
    std::uint64_t divider = 1;  ///< Product of the slots below: what D-mod-K divides by here.
  };
  /// A live child, and which of the child's slots leads back.
  struct Down {
    std::uint32_t child = 0;
    std::uint32_t slot = 0;
  };

  std::uint32_t live = 0;           ///< Switches of the fabric.
  std::vector<std::uint8_t> rank;   ///< By switch of the design graph; leaves have 0.
  std::uint8_t top = 0;             ///< Highest rank.
  std::vector<Up> up;               ///< By live switch.
  std::vector<std::uint32_t> to;    ///< Parents; `live` and above: gone.
  std::vector<std::uint8_t> ports;  ///< Own port by link, kHole where none lives.
  std::vector<std::uint8_t> far;    ///< The parent's port of the same link.
  std::vector<std::uint32_t> down_begin;
  std::vector<Down> down;                   ///< By parent, by rising child.
  std::vector<std::uint32_t> by_rank;       ///< Live switches, leaves first, then by index.
  std::vector<std::uint32_t> number;        ///< By index of Problem::destinations; each kind has its own.
  std::vector<std::uint32_t> switch_count;  ///< By rank, live.
  std::size_t missing = 0;  ///< Links of the design that do not live, holes found by symmetry included.

  std::span<const Down> downs(std::uint32_t s) const {
    return {down.data() + down_begin[s], down_begin[s + 1] - down_begin[s]};
  }
  /// Whether any link to the parent of a slot lives.
  bool alive(std::uint32_t s, std::uint32_t slot) const {
    for (std::uint32_t j = 0; j < up[s].links; ++j)
      if (port(s, slot, j) != kHole) return true;
    return false;
  }
  std::uint8_t port(std::uint32_t s, std::uint32_t slot, std::uint32_t link) const {
    return ports[up[s].first_port + slot * up[s].links + link];
  }
  std::uint8_t port_down(const Down& d, std::uint32_t link) const {
    return far[up[d.child].first_port + d.slot * up[d.child].links + link];
  }
};

/// Ranks count from the configured roots down; without any, from the switches with hosts up, and if that
/// gives no tree, from those with at least half as many hosts as any has (so that a manager on a spine hides
/// nothing), or from the switches farthest from all hosts, when more than half of these are at the lowest rank
/// then. A slot missing at one switch whose siblings nearly
/// all have it (seven of eight) is a hole, not a shape. Errors: `invalid` with the links that do not fit.
/// Cost: O(links log links).
Result<TreeShape> tree_shape(const Problem& problem, const DesignGraph& graph);

/// "a tree of 3 ranks, 648/648/324 switches, 12 links of the design missing".
std::string describe(const TreeShape& shape);

}  // namespace weft::routing
