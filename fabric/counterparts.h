#pragma once
// Counterparts: the nodes of one Fabric in another, by id; both stand in GUID order.

#include <optional>
#include <vector>

#include "fabric/fabric.h"

namespace weft::fabric {

class Counterparts {
 public:
  /// Cost: O(nodes).
  Counterparts(const Fabric& of, const Fabric& in);
  /// Nothing where the other has no such node.
  std::optional<NodeId> at(NodeId id) const {
    const NodeId there = there_[raw(id)];
    return there == kNone ? std::nullopt : std::optional(there);
  }

 private:
  static constexpr NodeId kNone{~0u};
  std::vector<NodeId> there_;
};

}  // namespace weft::fabric
