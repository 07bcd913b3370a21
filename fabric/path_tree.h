#pragma once
// PathTree: a shortest directed route from one port to every node, the same for equal fabrics.

#include <optional>
#include <vector>

#include "fabric/fabric.h"

namespace weft::fabric {

class PathTree {
 public:
  /// Breadth-first from `origin`'s node, through `origin` alone where that node is no switch. Of equally
  /// short ways the one through the node reached first counts, then the lower port. Every link of the Fabric
  /// counts: discovery joins only ports that are up. Cost: O(ports).
  PathTree(const Fabric& fabric, PortRef origin);

  /// Port numbers to leave by, from the origin's node on; empty for that node. Nothing when it cannot be
  /// reached.
  std::optional<std::vector<PortNum>> ports_to(NodeId node) const;
  /// The same, to ask that node about `port`. An HCA may refuse a Set of a port other than the one it came
  /// in by (ibsim does), so the way enters by `port`; where no such way is known, as ports_to(node).
  std::optional<std::vector<PortNum>> ports_to(const Fabric& fabric, PortRef port) const;
  /// The port by which the route enters the node; the origin itself for its node.
  PortNum entry_port(NodeId node) const { return entry_[raw(node)]; }
  bool reaches(NodeId node) const { return hops_[raw(node)] != kUnreached; }
  /// Links from the origin; only for nodes reached.
  int hops(NodeId node) const { return hops_[raw(node)]; }

 private:
  static constexpr std::uint16_t kUnreached = 0xffff;
  std::vector<PortRef> from_;  // by NodeId: the port of the node before, whose link leads here
  std::vector<PortNum> entry_;
  std::vector<std::uint16_t> hops_;
};

}  // namespace weft::fabric
