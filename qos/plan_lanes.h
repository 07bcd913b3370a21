#pragma once
// plan_lanes: from levels and routing's demand to lanes. Every level has a block of as many VLs as routing
// needs to be free of deadlocks; the blocks stand side by side. Where links have too few VLs for that, the
// last levels share a block, and it is told.

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "qos/arbitration.h"
#include "qos/policy.h"

namespace weft::qos {

/// SLs given to levels that named none, kept by name.
using AssignedSls = std::map<std::string, std::uint8_t>;

struct PlannedLevel {
  Level level;
  Sl sl{};
  int block = 0;            ///< VLs block * demand and following, between switches.
  bool first_of_sl = true;  ///< Of several levels with one SL the first stands for its lanes.
  double share = 0;         ///< Of the strict levels, or of the others, 0 to 1.
};

struct LanePlan {
  std::vector<PlannedLevel> levels;  ///< Empty: all SLs are alike.
  std::size_t default_level = 0;
  std::array<std::uint8_t, 16> level_of{};  ///< By SL: index into levels; SLs of no level are the default's.
  std::optional<TypedTables> typed;         ///< In force instead of blocks and shares.
  int demand = 1;                           ///< VLs in a block.
  int layers = 1;  ///< Without levels: SL i below is for routing's layer i, on VL i; others are on VL 0.
  int blocks = 1;
  AssignedSls assigned;
  std::vector<std::string> notes;
  std::vector<std::string> problems;

  /// False: lanes are routing's affair alone.
  bool active() const { return typed || !levels.empty(); }
  /// The VL of an SL where routing wants lane `lane` of `demand`, on a link with so many data VLs. The first
  /// and the last link, a host's, may have fewer than the plan: it takes no part in a deadlock, so levels
  /// share its last VL.
  Vl vl(Sl sl, int lane, int link_vls, Egress by) const;
};

/// `demand`: VLs that routing needs (1 without a demand); `link_vls`: data VLs of every link between
/// switches. Typed tables are for a demand of 1: they say nothing of routing's lanes, and one VL that is free
/// of deadlocks stays so whatever lanes packets change to on their way.
LanePlan plan_lanes(const Policy& policy, int demand, int link_vls, const AssignedSls& kept);

/// Whether every SL is on the same lanes by both.
bool same_lanes(const LanePlan& a, const LanePlan& b);

/// What the lanes of one port get: `lanes` are routing's lanes that packets leave by it on.
std::vector<LaneShare> shares(const LanePlan& plan, const std::vector<int>& lanes, int link_vls, Egress by);

}  // namespace weft::qos
