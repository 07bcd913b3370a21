#pragma once
// SL2VL tables of switches, as routing's Lanes demand them: which Sets make them, and sending these.
//
// Where a switch can take one table for all its ports (OptimizedSLtoVLMappingProgramming), whole rows are set
// first, then the columns that differ from them, then single pairs; else one Set for every pair of ports that
// are linked. Input port 0 has its row like any other. All SLs share one lane (routing/lanes.h). Source: IBTA
// vol. 1, 14.2.5.8.

#include <functional>
#include <map>
#include <span>
#include <vector>

#include "fabric/path_tree.h"
#include "plan/plan.h"
#include "transport/smp_client.h"

namespace weft::program {

struct LaneSet {
  std::uint32_t modifier = 0;  ///< In port << 8 | out port; bit 16: every out port, bit 17: every in port.
  Vl vl{};                     ///< For all SLs.
  bool operator==(const LaneSet&) const = default;
};

/// The Sets that bring a switch's table to `lanes`, in the order in which they must be sent.
std::vector<LaneSet> lane_sets(const fabric::Fabric& fabric, const routing::Lanes& lanes, SwitchId id);

/// Hash of what a switch is to hold; never 0, which stands for "not known".
std::uint64_t lanes_digest(std::span<const LaneSet> sets);

struct LanesWritten {
  /// By switch: the digest of what it holds now; 0 where a Set failed and it may hold anything.
  std::map<Guid, std::uint64_t> digests;
  struct Failed {
    Guid node{};
    std::string what;
    std::string why;
  };
  std::vector<Failed> failed;
};

/// What one switch needs.
struct LaneWork {
  SwitchId id{};
  std::vector<LaneSet> sets;
  std::uint64_t digest = 0;
  bool on_record = false;  ///< What it holds is known, and is something else.
};

/// Of all switches that are not on record to hold what `lanes` demand.
std::vector<LaneWork> lane_work(const fabric::Fabric& fabric, const routing::Lanes& lanes,
                                const plan::DeviceMap& devices);

/// True when a link to another switch is Active: packets may wait for its lanes.
bool carries_traffic(const fabric::Fabric& fabric, NodeId node);

/// Sends the work. A switch that carries traffic, and of which nothing is on record, is read first. `step` is
/// called for each that is done. `work` must stay alive.
asio::awaitable<LanesWritten> write_lanes(transport::SmpClient& client, const fabric::Fabric& fabric,
                                          const fabric::PathTree& paths, const routing::Lanes& lanes,
                                          std::span<const LaneWork> work, std::function<void()> step);

}  // namespace weft::program
