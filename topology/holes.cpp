#include "topology/holes.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "topology/seeded.h"

namespace weft::topology {
namespace {

constexpr std::uint32_t kGone = 0xffffffff;

std::size_t wanted(const Amount& amount, std::size_t all) {
  if (amount.percent <= 0) return amount.count;
  const double share = std::round(static_cast<double>(all) * amount.percent / 100.0);
  return amount.count + std::max<std::size_t>(1, static_cast<std::size_t>(share));
}

bool is_switch(const Topology& topology, const End& end) {
  return topology.nodes[end.node].type == NodeType::switch_;
}

/// Drops the marked nodes and every cable to them.
void drop_nodes(Topology& topology, const std::vector<bool>& gone) {
  std::vector<std::uint32_t> place(topology.nodes.size(), kGone);
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < gone.size(); ++i) {
    if (gone[i]) continue;
    place[i] = next;
    if (next != i) topology.nodes[next] = std::move(topology.nodes[i]);
    ++next;
  }
  topology.nodes.resize(next);
  std::erase_if(topology.cables, [&](const Cable& c) { return gone[c.a.node] || gone[c.b.node]; });
  for (Cable& cable : topology.cables) {
    cable.a.node = place[cable.a.node];
    cable.b.node = place[cable.b.node];
  }
}

Result<void> take_switches(Topology& topology, const Amount& amount, Dice& dice) {
  std::vector<bool> with_hosts(topology.nodes.size(), false);
  std::vector<std::uint32_t> cables_left(topology.nodes.size(), 0);
  for (const Cable& cable : topology.cables) {
    for (const auto& [end, peer] : {std::pair{cable.a, cable.b}, std::pair{cable.b, cable.a}}) {
      ++cables_left[end.node];
      if (!is_switch(topology, peer)) with_hosts[end.node] = true;
    }
  }
  std::vector<std::uint32_t> bare;
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < topology.nodes.size(); ++i) {
    if (topology.nodes[i].type != NodeType::switch_) continue;
    all.push_back(i);
    if (!with_hosts[i]) bare.push_back(i);
  }
  std::vector<std::uint32_t>& candidates = bare.empty() ? all : bare;
  const std::size_t count = wanted(amount, all.size());
  if (count > candidates.size())
    return fail(Errc::invalid, "{} switches were to fail, but only {} {}", count, candidates.size(),
                bare.empty() ? "exist" : "are without hosts");
  dice.shuffle(candidates);
  std::vector<bool> gone(topology.nodes.size(), false);
  for (std::size_t i = 0; i < count; ++i) gone[candidates[i]] = true;
  for (const Cable& cable : topology.cables) {
    if (!gone[cable.a.node] && !gone[cable.b.node]) continue;
    for (const End& end : {cable.a, cable.b})
      if (--cables_left[end.node] == 0 && !is_switch(topology, end)) gone[end.node] = true;
  }
  drop_nodes(topology, gone);
  return {};
}

/// Sets of nodes that are known to be joined.
class Joined {
 public:
  explicit Joined(std::size_t nodes) : parent_(nodes) { std::iota(parent_.begin(), parent_.end(), 0U); }

  /// Joins two nodes; false if they were joined already.
  bool join(std::uint32_t a, std::uint32_t b) {
    a = root(a);
    b = root(b);
    parent_[a] = b;
    return a != b;
  }

 private:
  std::uint32_t root(std::uint32_t node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }
  std::vector<std::uint32_t> parent_;
};

Result<void> take_links(Topology& topology, const Amount& amount, bool keep_connected, Dice& dice) {
  std::vector<std::uint32_t> candidates;
  for (std::uint32_t i = 0; i < topology.cables.size(); ++i)
    if (is_switch(topology, topology.cables[i].a) && is_switch(topology, topology.cables[i].b))
      candidates.push_back(i);
  const std::size_t count = wanted(amount, candidates.size());
  dice.shuffle(candidates);
  if (keep_connected) {
    // Going through the links backwards, those that join two parts are exactly the ones that could not be
    // removed when going forwards.
    Joined joined(topology.nodes.size());
    std::vector<std::uint32_t> spare;
    for (auto link = candidates.rbegin(); link != candidates.rend(); ++link)
      if (!joined.join(topology.cables[*link].a.node, topology.cables[*link].b.node)) spare.push_back(*link);
    candidates.assign(spare.rbegin(), spare.rend());
  }
  if (count > candidates.size())
    return fail(Errc::invalid, "{} links were to fail, but only {} {}", count, candidates.size(),
                keep_connected ? "can without splitting the fabric" : "join two switches");
  std::vector<bool> gone(topology.cables.size(), false);
  for (std::size_t i = 0; i < count; ++i) gone[candidates[i]] = true;
  std::vector<Cable> left;
  for (std::size_t i = 0; i < gone.size(); ++i)
    if (!gone[i]) left.push_back(topology.cables[i]);
  topology.cables = std::move(left);
  return {};
}

}  // namespace

Result<Topology> with_holes(Topology topology, const Holes& holes) {
  Dice dice(holes.seed);
  if (holes.switches != Amount{})
    if (auto ok = take_switches(topology, holes.switches, dice); !ok) return fail(ok.error());
  if (holes.links != Amount{})
    if (auto ok = take_links(topology, holes.links, holes.keep_connected, dice); !ok) return fail(ok.error());
  return topology;
}

}  // namespace weft::topology
