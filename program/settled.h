#pragma once
// Settled: for which Fabric, Plan and images of devices it was found that nothing needs to be sent. What a
// fault leaves alone is then not looked at again: only devices whose image, settings or table differ from
// those, and those that needed something still.
//
// Whether a device needs something is a function of its image in the Shadow, of its settings and tables in
// the Plan, and of the fields it is known not to keep. Shadow::changed() tells of the first; the second is
// compared here. M_Keys are in neither: while there are any, nothing is ever settled.

#include <memory>
#include <set>
#include <vector>

#include "fabric/fabric.h"
#include "mad/blocks.h"
#include "plan/plan.h"

namespace weft::program {

struct Settled {
  std::shared_ptr<const fabric::Fabric> fabric;  ///< Null: nothing is known.
  std::shared_ptr<const plan::Plan> plan;
  std::set<Guid> open_ports;   ///< Nodes that needed something for their ports, or waited for somebody.
  std::set<Guid> open_tables;  ///< Switches that needed something for their table or SwitchInfo.
};

/// Nodes whose ports may need something, rising; all when `settled` is null or knows nothing.
/// Cost: O(ports) comparisons.
std::vector<NodeId> ports_to_look_at(const fabric::Fabric& fabric, const plan::Plan& plan,
                                     const mad::Shadow& shadow, const Settled* settled);

/// Blocks to be written at a switch, rising.
struct TableWork {
  SwitchId id{};
  std::vector<std::uint32_t> blocks;
  bool may_need_info = false;  ///< Its SwitchInfo may not be as planned.
};

/// Of every switch where there are any, or `may_need_info`. `routes`: of `plan`, the final ones or dark ones.
/// Cost: O(switches), and of those that are not settled O(blocks) where the row is another one.
std::vector<TableWork> table_work(const fabric::Fabric& fabric, const plan::Plan& plan,
                                  const routing::Routes& routes, const mad::Shadow& shadow,
                                  const Settled* settled);

}  // namespace weft::program
