#pragma once
// Sending SL2VL and VL arbitration tables (program/lane_rows.h). A device whose digest is on record is left
// alone; a switch that carries traffic, and of which nothing is on record, is read first.

#include <functional>
#include <map>
#include <span>
#include <vector>

#include "fabric/path_tree.h"
#include "program/lane_rows.h"
#include "transport/smp_client.h"

namespace weft::program {

struct LanesWritten {
  /// By node: the digest of what it holds now; 0 where a Set failed and it may hold anything.
  std::map<Guid, std::uint64_t> digests;
  struct Failed {
    Guid node{};
    std::string what;
    std::string why;
  };
  std::vector<Failed> failed;
};

/// What one node needs.
struct LaneWork {
  NodeId node{};
  std::vector<TableSet> sets;
  std::uint64_t digest = 0;
  bool on_record = false;  ///< What it holds is known, and is something else.
};

/// Of all nodes that are not on record to hold what is planned. Where nothing is planned any more, of those
/// that still hold something of ours.
std::vector<LaneWork> lane_work(const fabric::Fabric& fabric, const plan::Plan& plan,
                                const plan::DeviceMap& devices);

/// True when a link to another switch is Active: packets may wait for its lanes.
bool carries_traffic(const fabric::Fabric& fabric, NodeId node);

struct LanesSeen {
  bool move = false;                      ///< Packets between switches are to take other lanes than they do.
  std::map<Guid, std::uint64_t> digests;  ///< Of switches that hold all that is planned already.
};

/// Reads what those of the work hold that carry traffic. One that does not answer is taken to hold something
/// else. All must stay alive.
asio::awaitable<LanesSeen> look_at_lanes(transport::SmpClient& client, const fabric::Fabric& fabric,
                                         const fabric::PathTree& paths, const plan::Plan& plan,
                                         std::span<const LaneWork> work);

/// Sends the work. `step` is called for each that is done. All must stay alive.
asio::awaitable<LanesWritten> write_lanes(transport::SmpClient& client, const fabric::Fabric& fabric,
                                          const fabric::PathTree& paths, const plan::Plan& plan,
                                          std::span<const LaneWork> work, std::function<void()> step);

}  // namespace weft::program
