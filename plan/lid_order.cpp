#include "plan/lid_order.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "base/ids.h"

namespace weft::plan {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// The switches alone, by SwitchId.
struct Shape {
  std::vector<std::vector<std::uint32_t>> neighbours;  // rising, each once
  std::vector<std::uint32_t> hosts;                    // linked host ports
};

Shape shape_of(const fabric::Fabric& fabric) {
  Shape shape{std::vector<std::vector<std::uint32_t>>(fabric.switch_count()),
              std::vector<std::uint32_t>(fabric.switch_count())};
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    std::vector<std::uint32_t>& neighbours = shape.neighbours[s];
    for (const fabric::Port& port : fabric.ports(static_cast<SwitchId>(s))) {
      if (!port.peer) continue;
      const std::optional<SwitchId> peer = fabric.switch_of(port.peer->node);
      if (!peer)
        ++shape.hosts[s];
      else if (raw(*peer) != s)
        neighbours.push_back(raw(*peer));
    }
    std::ranges::sort(neighbours);
    neighbours.erase(std::ranges::unique(neighbours).begin(), neighbours.end());
  }
  return shape;
}

/// Rank by switch, 0 for switches with at least `least_hosts` hosts; nothing when the links do not make a
/// plain tree.
std::optional<std::vector<std::uint32_t>> tree_ranks(const Shape& shape, std::uint32_t least_hosts) {
  std::vector<std::uint32_t> rank(shape.hosts.size(), kNone);
  std::vector<std::uint32_t> reached;
  for (std::uint32_t s = 0; s < rank.size(); ++s) {
    if (shape.hosts[s] < least_hosts) continue;
    rank[s] = 0;
    reached.push_back(s);
  }
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const std::uint32_t here = reached[next];
    for (const std::uint32_t peer : shape.neighbours[here]) {
      if (rank[peer] == rank[here]) return std::nullopt;
      if (rank[peer] != kNone) continue;
      rank[peer] = rank[here] + 1;
      reached.push_back(peer);
    }
  }
  if (reached.size() != rank.size()) return std::nullopt;
  return rank;
}

std::optional<std::vector<std::uint32_t>> find_tree(const Shape& shape) {
  if (shape.hosts.empty()) return std::nullopt;
  const std::uint32_t most = std::ranges::max(shape.hosts);
  if (most == 0) return std::nullopt;
  if (auto rank = tree_ranks(shape, 1)) return rank;
  return tree_ranks(shape, (most + 1) / 2);
}

std::uint32_t root_of(std::vector<std::uint32_t>& parent, std::uint32_t s) {
  while (parent[s] != s) s = parent[s] = parent[parent[s]];
  return s;
}

/// Leaves in order: those that share parents stand together, pods of pods likewise, GUID order within.
std::vector<std::uint32_t> order_of_leaves(const Shape& shape, const std::vector<std::uint32_t>& rank) {
  std::vector<std::uint32_t> leaves;
  for (std::uint32_t s = 0; s < rank.size(); ++s)
    if (rank[s] == 0) leaves.push_back(s);
  std::vector<std::uint32_t> pod(rank.size());  // union-find; the lowest switch stands for its set
  std::iota(pod.begin(), pod.end(), 0u);
  const std::uint32_t top = std::ranges::max(rank);
  for (std::uint32_t level = 1; level <= top; ++level) {
    for (std::uint32_t s = 0; s < rank.size(); ++s) {
      if (rank[s] != level) continue;
      for (const std::uint32_t below : shape.neighbours[s]) {
        if (rank[below] > level) continue;
        const auto [low, high] = std::minmax({root_of(pod, s), root_of(pod, below)});
        pod[high] = low;
      }
    }
    std::vector<std::uint32_t> first_leaf(rank.size(), kNone);  // a pod's place is that of its first leaf
    for (const std::uint32_t leaf : leaves) {
      std::uint32_t& first = first_leaf[root_of(pod, leaf)];
      first = std::min(first, leaf);
    }
    std::vector<std::uint32_t> place(rank.size());
    for (std::uint32_t i = 0; i < leaves.size(); ++i) place[leaves[i]] = i;
    std::ranges::sort(leaves, {}, [&](std::uint32_t leaf) {
      return std::pair(first_leaf[root_of(pod, leaf)], place[leaf]);
    });
  }
  return leaves;
}

/// By SwitchId and port number: how many ports of the switch below this one lead to hosts.
std::vector<std::vector<std::uint32_t>> host_positions(const fabric::Fabric& fabric) {
  std::vector<std::vector<std::uint32_t>> positions(fabric.switch_count());
  for (std::uint32_t s = 0; s < positions.size(); ++s) {
    std::uint32_t next = 0;
    for (const fabric::Port& port : fabric.ports(static_cast<SwitchId>(s))) {
      positions[s].push_back(next);
      if (port.peer && !fabric.is_switch(port.peer->node)) ++next;
    }
  }
  return positions;
}

using Key = std::array<std::uint32_t, 4>;
using Keyed = std::vector<std::pair<Key, std::uint32_t>>;

std::vector<std::uint32_t> sorted(Keyed keyed) {
  std::ranges::sort(keyed);
  std::vector<std::uint32_t> order;
  order.reserve(keyed.size());
  for (const auto& [key, index] : keyed) order.push_back(index);
  return order;
}

}  // namespace

LidOrder lid_order(const fabric::Fabric& fabric) {
  const Shape shape = shape_of(fabric);
  const auto rank = find_tree(shape);
  std::vector<std::uint32_t> place(fabric.switch_count());  // of a leaf among the leaves, of others by GUID
  std::iota(place.begin(), place.end(), 0u);
  if (rank) {
    const std::vector<std::uint32_t> leaves = order_of_leaves(shape, *rank);
    for (std::uint32_t i = 0; i < leaves.size(); ++i) place[leaves[i]] = i;
  }
  const auto positions = host_positions(fabric);

  const auto key_of_host = [&](fabric::PortRef end) -> Key {
    const fabric::PortRef peer = *fabric.port(end).peer;
    const std::optional<SwitchId> at = fabric.switch_of(peer.node);
    if (!at) return {2, raw(end.node), raw(end.port)};  // host on host
    const std::uint32_t s = raw(*at);
    if (!rank || (*rank)[s] != 0) return {1, s, raw(peer.port)};
    const auto planes = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(shape.neighbours[s].size()));
    const std::uint32_t position = positions[s][raw(peer.port)];
    return {0, position % planes, place[s], position};
  };
  Keyed hosts;
  Keyed switches;
  const std::span<const fabric::PortRef> ends = fabric.end_ports();
  for (std::uint32_t i = 0; i < ends.size(); ++i) {
    if (const std::optional<SwitchId> self = fabric.switch_of(ends[i].node))
      switches.push_back({{rank ? (*rank)[raw(*self)] : 0, place[raw(*self)]}, i});
    else
      hosts.push_back({key_of_host(ends[i]), i});
  }
  return {sorted(std::move(hosts)), sorted(std::move(switches)), rank.has_value()};
}

}  // namespace weft::plan
