#pragma once
// After programming: did those that we wrote to keep it? A device that boots while it is written answers
// every Set all the same, and ends with half a table and the mark that it is complete. A boot takes a
// switch's LID, which was the first thing it was given, and a host's P_Keys. And did they get it at all? When
// a cable moves meanwhile, our own first of all, the same directed route leads to somebody else.

#include <set>
#include <vector>

#include "fabric/path_tree.h"
#include "mad/blocks.h"
#include "plan/plan.h"
#include "transport/smp_client.h"

namespace weft::program {

struct Verified {
  std::vector<Guid> booted;  ///< Booted meanwhile, or do not answer any more, or are somewhere else.
  /// Somebody else answers where one of these was: what was written may have gone to anybody.
  std::vector<Guid> elsewhere;
};

/// Asks the nodes written to. One packet each, and one more where something is wrong. All that it is given
/// must stay alive.
asio::awaitable<Verified> verify(transport::SmpClient& client, const mad::Shadow& shadow,
                                 const fabric::Fabric& fabric, const fabric::PathTree& paths,
                                 const plan::Plan& plan, const std::set<NodeId>& written);

}  // namespace weft::program
