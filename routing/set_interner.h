#pragma once
// SetInterner: gives the sets of one switch their numbers, in order of first use; 0 is the empty one.

#include <map>

#include "routing/port_sets.h"

namespace weft::routing {

class SetInterner {
 public:
  explicit SetInterner(std::vector<PortMask>& sets) : sets_(sets) {
    sets_.assign(1, PortMask{});
    known_.emplace(PortMask{}, 0);
  }
  std::uint16_t number(const PortMask& ports) {
    const auto [at, fresh] = known_.emplace(ports, static_cast<std::uint16_t>(sets_.size()));
    if (fresh) sets_.push_back(ports);
    return at->second;
  }

 private:
  std::vector<PortMask>& sets_;
  std::map<PortMask, std::uint16_t> known_;
};

/// Leaves, and one row a switch; nothing else.
PortSets empty_sets(const Problem& problem);

Result<PortSets> tree_port_sets(const Problem& problem, const Routes& routes);
Result<PortSets> dragonfly_port_sets(const Problem& problem);
Result<PortSets> dragonfly_plus_port_sets(const Problem& problem);

}  // namespace weft::routing
