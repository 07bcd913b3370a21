#pragma once
// Difference: what one plan changes of another one for the same fabric, in people's terms: LIDs, ways, keys,
// groups, levels, port settings. Pure.

#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "plan/plan.h"

namespace weft::plan {

struct Difference {
  struct MovedLid {
    fabric::PortRef port;
    LidRange before;
    LidRange after;
    bool operator==(const MovedLid&) const = default;
  };
  std::vector<MovedLid> lids;   ///< By end port.
  std::uint64_t entries = 0;    ///< Entries of forwarding tables that differ, by LID.
  std::uint64_t pairs = 0;      ///< Ordered pairs of hosts whose packets (base LIDs) take another way,
  std::uint64_t all_pairs = 0;  ///< of so many.
  /// Sentences; empty where nothing changes.
  std::vector<std::string> routing;   ///< Engine, lanes asked for.
  std::vector<std::string> access;    ///< Who gains or loses which partition.
  std::vector<std::string> groups;    ///< Multicast groups that partitions bring.
  std::vector<std::string> levels;    ///< SLs, lanes and shares.
  std::vector<std::string> settings;  ///< What ports are told, with the number of ports.
  std::vector<std::string> problems;  ///< That the second plan has and the first had not.
};

/// Cost: O(switches x hosts).
Difference difference(const fabric::Fabric& fabric, const Plan& before, const Plan& after);

}  // namespace weft::plan
