#pragma once
// TreeDealings: which way up each LID takes by D-mod-K where nothing is broken. The same for all switches of
// one rank and shape, and from run to run as long as the LIDs stay.

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "routing/tree_shape.h"

namespace weft::routing {

struct LidTable;

/// Canonical way by LID for one divider and number of slots and links: slot + slots * link, or kNoWay.
struct TreeDealing {
  std::vector<std::uint8_t> way;
  std::vector<std::vector<std::uint16_t>> lids;  ///< By way.
};
/// Divider, slots, links dealt over.
using TreeDealingKey = std::array<std::uint64_t, 3>;
using TreeDealings = std::map<TreeDealingKey, TreeDealing>;

inline TreeDealingKey dealing_key(const TreeShape::Up& up) { return {up.divider, up.slots, up.spread}; }

TreeDealings deal_ways_up(const LidTable& table, const TreeShape& shape);
/// Whether they are those of another shape, too.
bool covers(const TreeDealings& dealings, const TreeShape& shape);

}  // namespace weft::routing
