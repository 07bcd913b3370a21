#pragma once
// MulticastBasis::Parts: orders of the switches for multicast trees, and what each switch reaches downwards.
// Inside of multicast.cpp and multicast_basis.cpp only.

#include <functional>
#include <limits>
#include <mutex>

#include "routing/multicast.h"
#include "routing/switch_graph.h"

namespace weft::routing {

/// One order, without the switches whose multicast table is too small.
struct MulticastOrder {
  static constexpr std::uint32_t kNone = ~0U;

  std::vector<std::uint32_t> level;              ///< By switch; lower is above. kNone: left out.
  std::vector<std::uint32_t> parent;             ///< By switch: the only one above it; empty: all that are.
  std::vector<std::uint64_t> reach;              ///< [switch][word]: what it reaches downwards, itself too.
  std::vector<std::uint32_t> homes;              ///< Tops by design, by GUID; kNone where one is gone.
  std::vector<std::vector<std::uint32_t>> tops;  ///< By part: those that reach every switch with hosts.
  std::uint32_t room = std::numeric_limits<std::uint32_t>::max();  ///< MLIDs, from 0xc000 on, it serves.

  /// Whether a tree may go down from one to its neighbour.
  bool leads_down(std::uint32_t from, std::uint32_t to) const {
    return level[from] < level[to] && level[to] != kNone && (parent.empty() || parent[to] == from);
  }
};

struct MulticastBasis::Parts {
  Parts(const Problem& problem, const Routes& routes, const std::shared_ptr<const Waits>& waits);

  /// The order for an MLID, or null when no switch has room for it.
  static const MulticastOrder* order_for(const std::vector<MulticastOrder>& orders, Lid mlid);

  struct Fallback {
    std::vector<MulticastOrder> orders;  ///< Empty where there is no other.
    bool own_lane = true;
  };
  /// For groups that `orders` cannot join; found when first asked for.
  const Fallback& fallback() const;

  SwitchGraph graph;
  std::vector<Guid> guids;             ///< By switch.
  std::uint32_t width = 0;             ///< Port slots of the widest switch.
  std::vector<std::uint8_t> far;       ///< [switch * width + port]: port at the other end.
  std::vector<std::uint16_t> room;     ///< By switch: MLIDs its table holds; 0: not known.
  std::uint32_t words = 0;             ///< Of a set of switches.
  std::vector<MulticastOrder> orders;  ///< By rising room.
  bool own_lane = false;
  std::string why;

 private:
  std::function<Fallback()> find_fallback_;  // null where there is none
  mutable std::once_flag asked_;
  mutable Fallback fallback_;
};

/// Where an MLID stands in a multicast table.
constexpr std::uint32_t multicast_index(Lid mlid) { return raw(mlid) & 0x3fffU; }

}  // namespace weft::routing
