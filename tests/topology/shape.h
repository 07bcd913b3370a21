#pragma once
// What the tests of this folder ask of a topology.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "topology/topology.h"

namespace weft::topology {

inline std::size_t count(const Topology& topology, NodeType type) {
  return static_cast<std::size_t>(std::ranges::count(topology.nodes, type, &Node::type));
}
inline std::size_t hosts(const Topology& topology) { return count(topology, NodeType::hca); }
inline std::size_t switches(const Topology& topology) { return count(topology, NodeType::switch_); }

/// Cables at each node, by node.
inline std::vector<std::size_t> degrees(const Topology& topology) {
  std::vector<std::size_t> found(topology.nodes.size(), 0);
  for (const Cable& cable : topology.cables) {
    ++found[cable.a.node];
    ++found[cable.b.node];
  }
  return found;
}

/// How many parts do not hang together.
inline std::size_t parts(const Topology& topology) {
  std::vector<std::vector<std::uint32_t>> peers(topology.nodes.size());
  for (const Cable& cable : topology.cables) {
    peers[cable.a.node].push_back(cable.b.node);
    peers[cable.b.node].push_back(cable.a.node);
  }
  std::vector<bool> seen(topology.nodes.size(), false);
  std::size_t found = 0;
  for (std::uint32_t start = 0; start < topology.nodes.size(); ++start) {
    if (seen[start]) continue;
    ++found;
    std::vector<std::uint32_t> open{start};
    seen[start] = true;
    while (!open.empty()) {
      const std::uint32_t here = open.back();
      open.pop_back();
      for (const std::uint32_t peer : peers[here]) {
        if (seen[peer]) continue;
        seen[peer] = true;
        open.push_back(peer);
      }
    }
  }
  return found;
}

}  // namespace weft::topology
