#pragma once
// Held tables: the forwarding tables that switches are known to hold, which is what new ones must not mix
// badly with. It is not what the last plan says after a take-over, a sweep that was cut short, or a Set that
// failed. Pure.

#include <utility>
#include <vector>

#include "fabric/fabric.h"
#include "mad/blocks.h"
#include "plan/plan.h"

namespace weft::program {

struct HeldTables {
  /// Rows of the switches that hold any; of one that holds what is planned, the planned one. An entry that is
  /// not known is plan::kUnknownWay.
  routing::Routes routes;
  /// Blocks in use of which nothing is known.
  std::vector<std::pair<SwitchId, std::uint32_t>> unknown;
};

HeldTables held_tables(const fabric::Fabric& fabric, const plan::Plan& plan, const mad::Shadow& shadow);

}  // namespace weft::program
