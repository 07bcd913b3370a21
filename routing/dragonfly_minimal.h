#pragma once
// DragonflyMinimal: the minimal ways of a dragonfly, asked one by one, and all that they carry, counted group
// by group: all LIDs of a group whose numbers agree modulo the counts of ways there are go by the same ways
// until they are in the group.

#include <cstdint>
#include <vector>

#include "routing/dragonfly_common.h"
#include "routing/lanes.h"
#include "routing/link_loads.h"
#include "routing/wait_order.h"

namespace weft::routing {

/// [router * groups + group]: the ports of minimal ways to another group, for a LID the one at its number
/// modulo their count; kNoWay where a way is dead.
using DragonflyWays = std::vector<std::vector<std::uint8_t>>;

/// The live links among routers. A link is numbered router * width + port.
struct DragonflyCables {
  explicit DragonflyCables(const DragonflyCommon& common);
  std::uint32_t behind(std::uint32_t s, std::uint8_t port) const { return next[s * width + port]; }

  std::uint32_t count;
  std::uint32_t width = 1;
  std::vector<std::uint32_t> next;               ///< By link: the router behind it; WaitOrder::kNobody.
  std::vector<std::uint8_t> far;                 ///< By link: port at the other end.
  std::vector<std::vector<std::uint8_t>> ports;  ///< By router: by GUID of the neighbour, then port.
};

class DragonflyMinimal {
 public:
  /// A LID that some routers do not reach by minimal ways.
  struct Lost {
    std::uint16_t lid = 0;
    std::uint32_t cut_off = 0;  ///< Which of cut_off().
  };

  DragonflyMinimal(const DragonflyCommon& common, const DragonflyCables& cables, const DragonflyWays& ways,
                   const Lanes& lanes);

  /// The port by which a router sends a LID; kNoWay where there is none, and where the LID hangs.
  std::uint8_t way(std::uint32_t s, std::uint16_t lid) const;
  /// Counts what arrives by minimal ways, and nothing else.
  void count(LinkLoads& loads, WaitOrder& waits);
  /// After count(), by rising LID.
  std::vector<Lost>& lost() { return lost_; }
  /// Routers whose packets do not arrive.
  const std::vector<std::uint32_t>& cut_off(const Lost& lost) const { return cut_off_[lost.cut_off]; }

 private:
  class Turn;
  std::uint32_t group(std::uint32_t s) const { return c_.shape.group[s]; }
  const std::vector<std::uint8_t>& local(std::uint32_t s, std::uint32_t to) const {
    return local_[s * widest_ + place_[to]];
  }
  std::uint32_t period(std::uint32_t to) const;

  const DragonflyCommon& c_;
  const DragonflyCables& cables_;
  const DragonflyWays& ways_;
  const Lanes& lanes_;
  std::uint32_t widest_ = 0;                      // routers in a group
  std::vector<std::uint32_t> place_;              // by router: in its group
  std::vector<std::vector<std::uint8_t>> local_;  // [router * widest + place]: ports to a router of the group
  std::vector<Lost> lost_;
  std::vector<std::vector<std::uint32_t>> cut_off_;
};

}  // namespace weft::routing
