#pragma once
// TreeBasis: all that the fat-tree engine's rows depend on. Two of them tell which rows can differ, so that
// after a fault the others are kept without being computed.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "routing/tree_dealings.h"
#include "routing/tree_reach.h"
#include "routing/tree_relief.h"
#include "routing/tree_shape.h"
#include "routing/tree_turns.h"

namespace weft::routing {

/// What every switch needs to know of the LIDs.
struct LidTable {
  static constexpr std::uint16_t kNobody = 0xffff;

  LidTable(const Problem& problem, const TreeShape& shape);
  std::span<const std::uint16_t> of(std::uint32_t s) const {
    return {lids.data() + begin[s], begin[s + 1] - begin[s]};
  }
  /// What slots are dealt by: the planes of one host (LMC) take different slots at every level.
  std::uint64_t turn(std::uint32_t lid, std::uint64_t divider) const {
    return number[lid] / divider + plane[lid];
  }

  bool operator==(const LidTable&) const = default;

  std::size_t size;
  std::vector<std::uint16_t> owner;   // by LID: switch, or kNobody
  std::vector<std::uint16_t> host;    // the same for LIDs of hosts only
  std::vector<std::uint32_t> number;  // by LID
  std::vector<std::uint8_t> plane;    // by LID: offset from the base LID
  std::vector<std::uint8_t> port;     // by LID: delivering port
  std::vector<std::uint32_t> begin;   // by switch
  std::vector<std::uint16_t> lids;
  std::vector<bool> has_hosts;
};

struct TreeBasis {
  TreeBasis(const Problem& problem, TreeShape found);

  TreeShape shape;
  TreeReach reach;
  LidTable lids;
  TreeTurns turns;
  TreeRelief relief;
  std::shared_ptr<const TreeDealings> dealings;  ///< Shared with the previous basis while the LIDs stay.
};

/// What the rows in `problem.previous`, which the same engine made from another basis, are still good for.
struct TreeChanges {
  enum Row : std::uint8_t {
    same,     ///< It stands.
    some,     ///< But for the destinations of `changed`.
    anything  ///< It must be computed.
  };
  std::vector<Row> rows;              ///< By switch.
  const TreeBasis* before = nullptr;  ///< Null: all rows are `anything`.
  std::vector<std::uint8_t> reach;    ///< By switch: 1 where its own sets changed.
};

/// Cost: O(links + switches * switches / 64).
TreeChanges changes_since(const Problem& problem, const TreeBasis& now);

/// Of a row of kind `some`: the switches, as a bit set, whose LIDs may have other entries.
/// Cost: O(changed neighbours * switches / 64).
void changed_destinations(const TreeChanges& changes, const TreeBasis& now, std::uint32_t s,
                          std::vector<std::uint64_t>& changed);

}  // namespace weft::routing
