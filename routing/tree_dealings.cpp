#include "routing/tree_dealings.h"

#include <algorithm>

#include "routing/tree_basis.h"

namespace weft::routing {
namespace {

TreeDealing deal_one(const LidTable& table, const TreeDealingKey& key) {
  const auto [divider, slots, links] = key;
  TreeDealing dealing{std::vector<std::uint8_t>(table.size, kNoWay), {}};
  dealing.lids.resize(slots * links);
  for (std::uint32_t lid = 0; lid < table.size; ++lid) {
    if (table.owner[lid] == LidTable::kNobody) continue;
    const auto way = static_cast<std::uint8_t>(table.turn(lid, divider) % (slots * links));
    dealing.way[lid] = way;
    dealing.lids[way].push_back(static_cast<std::uint16_t>(lid));
  }
  return dealing;
}

}  // namespace

TreeDealings deal_ways_up(const LidTable& table, const TreeShape& shape) {
  TreeDealings dealings;
  for (const TreeShape::Up& up : shape.up)
    if (up.slots != 0 && !dealings.contains(dealing_key(up)))
      dealings.emplace(dealing_key(up), deal_one(table, dealing_key(up)));
  return dealings;
}

bool covers(const TreeDealings& dealings, const TreeShape& shape) {
  return std::ranges::all_of(shape.up, [&dealings](const TreeShape::Up& up) {
    return up.slots == 0 || dealings.contains(dealing_key(up));
  });
}

}  // namespace weft::routing
