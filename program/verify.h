#pragma once
// After programming: did those that we wrote to keep it? A device that boots while it is written answers
// every Set all the same, and ends with half a table and the mark that it is complete. A boot takes a
// switch's LID, which was the first thing it was given, and a host's P_Keys.

#include <set>
#include <vector>

#include "fabric/path_tree.h"
#include "mad/blocks.h"
#include "plan/plan.h"
#include "transport/smp_client.h"

namespace weft::program {

/// Of the nodes written to: those that booted meanwhile, or do not answer any more. One packet each. All that
/// it is given must stay alive.
asio::awaitable<std::vector<Guid>> find_booted(transport::SmpClient& client, const mad::Shadow& shadow,
                                               const fabric::Fabric& fabric, const fabric::PathTree& paths,
                                               const plan::Plan& plan, const std::set<NodeId>& written);

}  // namespace weft::program
