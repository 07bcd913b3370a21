#pragma once
// DragonflyMinimal: the minimal ways of a dragonfly, asked one by one, and all that they carry, counted group
// by group: all LIDs of a group whose numbers agree modulo the counts of ways there are go by the same ways
// until they are in the group.

#include <cstdint>
#include <vector>

#include "routing/dragonfly_common.h"
#include "routing/given_ways.h"

namespace weft::routing {

/// [router * groups + group]: the ports of minimal ways to another group, for a LID the one at its number
/// modulo their count; kNoWay where a way is dead.
using DragonflyWays = std::vector<std::vector<std::uint8_t>>;

class DragonflyMinimal final : public GivenWays {
 public:
  DragonflyMinimal(const DragonflyCommon& common, const GroupCables& cables, const DragonflyWays& ways,
                   const Lanes& lanes);

  std::uint8_t way(std::uint32_t s, std::uint16_t lid) const override;
  void count(LinkLoads& loads, WaitOrder& waits) override;

 private:
  class Turn;
  std::uint32_t group(std::uint32_t s) const { return c_.shape.group[s]; }
  const std::vector<std::uint8_t>& local(std::uint32_t s, std::uint32_t to) const {
    return local_[s * widest_ + place_[to]];
  }
  std::uint32_t period(std::uint32_t to) const;

  const DragonflyCommon& c_;
  const GroupCables& cables_;
  const DragonflyWays& ways_;
  const Lanes& lanes_;
  std::uint32_t widest_ = 0;                      // routers in a group
  std::vector<std::uint32_t> place_;              // by router: in its group
  std::vector<std::vector<std::uint8_t>> local_;  // [router * widest + place]: ports to a router of the group
};

}  // namespace weft::routing
