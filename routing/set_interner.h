#pragma once
// SetInterner: gives the sets of one switch their numbers, in order of first use; 0 is the empty one.

#include <map>
#include <utility>

#include "routing/port_sets.h"

namespace weft::routing {

class SetInterner {
 public:
  SetInterner(PortSets& sets, std::size_t s) : sets_(sets.sets[s]), spare_(sets.spare[s]) {
    sets_.assign(1, PortMask{});
    known_.emplace(std::pair(PortMask{}, PortMask{}), 0);
  }
  /// `spare`: those of `ports` that are no minimal way.
  std::uint16_t number(const PortMask& ports, const PortMask& spare = {}) {
    const auto [at, fresh] =
        known_.emplace(std::pair(ports, spare), static_cast<std::uint16_t>(sets_.size()));
    if (!fresh) return at->second;
    sets_.push_back(ports);
    if (spare == PortMask{}) return at->second;
    spare_.resize(sets_.size());
    spare_.back() = spare;
    return at->second;
  }

 private:
  std::vector<PortMask>& sets_;
  std::vector<PortMask>& spare_;
  std::map<std::pair<PortMask, PortMask>, std::uint16_t> known_;
};

/// Leaves, and one row a switch; nothing else.
PortSets empty_sets(const Problem& problem);
/// LIDs of the hosts of each leaf.
std::vector<std::vector<Lid>> lids_of_leaves(const Problem& problem, const PortSets& sets);

Result<PortSets> tree_port_sets(const Problem& problem, const Routes& routes);
Result<PortSets> dragonfly_port_sets(const Problem& problem, const Routes& routes);
Result<PortSets> dragonfly_plus_port_sets(const Problem& problem);

}  // namespace weft::routing
