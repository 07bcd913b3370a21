#pragma once
// What SL2VL and VL arbitration tables a device is to hold, and the fewest Sets that make them. Pure.
//
// Where a switch can take one row for many ports (OptimizedSLtoVLMappingProgramming), the most usual row is
// set for all of them at once, then the rows, columns and single pairs that differ; else one Set for every
// pair of ports that are linked. Input port 0 has its row like any other. Source: IBTA vol.
// 1, 14.2.5.8, 14.2.5.9.

#include <array>
#include <span>
#include <vector>

#include "mad/smp.h"
#include "mad/tables.h"
#include "plan/plan.h"

namespace weft::program {

struct TableSet {
  mad::AttrId attribute{};
  std::uint32_t modifier = 0;
  mad::AttrData data{};
  PortNum at{};  ///< The port that is asked, where it is not the switch itself.
  bool operator==(const TableSet&) const = default;
};

/// True when tables are to be written at all: routing needs lanes or layers, or there are levels.
bool has_lanes(const plan::Plan& plan);

/// By SL, of what goes from one port of a switch to another.
std::array<Vl, 16> lane_row(const fabric::Fabric& fabric, const plan::Plan& plan, SwitchId id, PortNum in,
                            PortNum out);

/// The Sets for a node, in the order in which they must be sent: SL2VL, then, where there are levels, VL
/// arbitration of each port. For a host only where there are levels or layers and its link has more than one
/// VL.
std::vector<TableSet> lane_sets(const fabric::Fabric& fabric, const plan::Plan& plan, NodeId node);
/// The same of a switch without "many ports at once".
std::vector<TableSet> lane_pairs(const fabric::Fabric& fabric, const plan::Plan& plan, SwitchId id);

/// Hash of what a node is to hold; never 0, which stands for "not known".
std::uint64_t lanes_digest(std::span<const TableSet> sets);

}  // namespace weft::program
