#pragma once
// LID assignment: who has which LIDs. Sticky: what the Ledger says holds; what live ports carry is kept; only
// what is new or in conflict gets new numbers. New plain trees are numbered plane-major, so that one fault
// touches few 64-LID blocks (hosts sorted by their position under the leaf modulo its up links, then leaf).

#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"
#include "plan/config.h"
#include "plan/ledger.h"

namespace weft::plan {

struct Lids {
  /// By index into Fabric::end_ports(); base 0 where no LID was left.
  std::vector<LidRange> of_end_port;
  Lid top{};  ///< Highest LID given to a port that is present.
  /// The Ledger's map after this assignment, absent ports included.
  std::shared_ptr<const LidMap> map;
  std::vector<std::string>
      notes;  ///< Conflicts and how they were resolved, exhaustion, fixed LIDs that clash.
  /// End ports left without a LID (index into end_ports()): the LID space is exhausted.
  std::vector<std::size_t> without;
};

/// Each port gets: the fixed LID of the config, else the Ledger's, else the LID found on it when it is Active
/// or Armed (or a switch's port 0), else the first free aligned range; hosts before switches. The smallest
/// LFT capacity is the ceiling where all fit below it. Ports that are away keep their LIDs as long as there
/// is room; then theirs are reused, highest GUID first, with a note. Cost: O(n log n); Ledger's map if
/// unchanged.
Lids assign_lids(const fabric::Fabric& fabric, const LidOptions& options, const Ledger& ledger);

}  // namespace weft::plan
