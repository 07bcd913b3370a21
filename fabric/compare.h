#pragma once
// Compare: what changed between two Fabrics, as data for events and in words for people. Nodes are matched by
// GUID, so the two may differ in every id.

#include <string>
#include <string_view>
#include <vector>

#include "fabric/fabric.h"

namespace weft::fabric {

enum class DifferenceKind {
  node_new,
  node_gone,
  node_changed,  ///< Type, number of ports or description.
  link_new,
  link_gone,
  link_rate_changed,   ///< Active width or speed.
  port_state_changed,  ///< PortState of a port whose link stayed, or that has none.
};
std::string_view name(DifferenceKind kind);  ///< "node_new", ...

struct Difference {
  DifferenceKind kind{};
  Guid node{};
  PortNum port{};  ///< Of links and ports; of links the end of the lower (GUID, port).
  Guid peer{};     ///< Of links: the other end.
  PortNum peer_port{};
  std::string what;  ///< One sentence that names the node, and the port where there is one.
  bool operator==(const Difference&) const = default;
};

/// Differences in order of GUID, then port. The links of a node that is new or gone are not told apart from
/// it, nor are the port states that go with a new or lost link. Cost: O(nodes + ports).
std::vector<Difference> compare(const Fabric& before, const Fabric& after);

}  // namespace weft::fabric
