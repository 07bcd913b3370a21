#include "routing/design.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>

namespace weft::routing {
namespace {

using Place = std::pair<Guid, PortNum>;

std::vector<DesignPort> live_ports(const fabric::Fabric& fabric) {
  std::vector<DesignPort> live;
  for (const NodeId id : fabric.switches()) {
    const std::span<const fabric::Port> ports = fabric.ports(id);
    for (std::size_t p = 1; p < ports.size(); ++p) {
      if (!ports[p].peer) continue;
      const fabric::PortRef peer = *ports[p].peer;
      const bool to_switch = fabric.is_switch(peer.node);
      live.push_back({fabric.node(id).guid, static_cast<PortNum>(p),
                      to_switch ? fabric.node(peer.node).guid : Guid{}, to_switch ? peer.port : PortNum{}});
    }
  }
  return live;
}

bool has(const std::vector<DesignPort>& ports, Place place) {
  const auto at =
      std::ranges::lower_bound(ports, place, {}, [](const DesignPort& d) { return Place(d.at, d.port); });
  return at != ports.end() && Place(at->at, at->port) == place;
}

}  // namespace

Design learn(const Design& before, const fabric::Fabric& fabric) {
  Design design{live_ports(fabric)};
  std::vector<DesignPort> dark;
  auto next = design.ports.cbegin();
  for (const DesignPort& old : before.ports) {
    while (next != design.ports.cend() && Place(next->at, next->port) < Place(old.at, old.port)) ++next;
    if (next != design.ports.cend() && Place(next->at, next->port) == Place(old.at, old.port)) continue;
    if (raw(old.peer) != 0 && has(design.ports, {old.peer, old.peer_port})) continue;  // moved
    dark.push_back(old);
  }
  if (dark.empty()) return design;
  Design merged;
  merged.ports.reserve(design.ports.size() + dark.size());
  std::ranges::merge(design.ports, dark, std::back_inserter(merged.ports));
  return merged;
}

namespace {

/// Whether all that lives is in the design: then no cable has moved, and what is dark stays.
bool knows_all(const Design& design, const fabric::Fabric& fabric) {
  auto next = design.ports.cbegin();
  for (const NodeId id : fabric.switches()) {
    const std::span<const fabric::Port> ports = fabric.ports(id);
    for (std::size_t p = 1; p < ports.size(); ++p) {
      if (!ports[p].peer) continue;
      const Place place{fabric.node(id).guid, static_cast<PortNum>(p)};
      while (next != design.ports.cend() && Place(next->at, next->port) < place) ++next;
      if (next == design.ports.cend() || Place(next->at, next->port) != place) return false;
      const fabric::PortRef peer = *ports[p].peer;
      const bool to_switch = fabric.is_switch(peer.node);
      if (next->peer != (to_switch ? fabric.node(peer.node).guid : Guid{})) return false;
      if (to_switch && next->peer_port != peer.port) return false;
    }
  }
  return true;
}

}  // namespace

std::shared_ptr<const Design> learned(std::shared_ptr<const Design> before, const fabric::Fabric& fabric) {
  if (before && knows_all(*before, fabric)) return before;
  auto now = std::make_shared<const Design>(learn(before ? *before : Design{}, fabric));
  return before && *before == *now ? before : now;
}

namespace {

/// Ports of the design that are dark now, as learn() keeps them, without merging what lives.
std::vector<DesignPort> dark_ports(const Design& design, const fabric::Fabric& fabric,
                                   std::span<const Guid> switches) {
  const auto live_port = [&](Guid at, PortNum port) {
    const auto s = std::ranges::lower_bound(switches, at);
    if (s == switches.end() || *s != at) return false;
    const auto ports = fabric.ports(static_cast<SwitchId>(s - switches.begin()));
    return raw(port) < ports.size() && ports[raw(port)].peer.has_value();
  };
  std::vector<DesignPort> dark;
  std::span<const fabric::Port> ports;  // of the switch at hand
  Guid at{};
  for (const DesignPort& d : design.ports) {
    if (d.at != at || ports.empty()) {
      at = d.at;
      const auto s = std::ranges::lower_bound(switches, at);
      const bool here = s != switches.end() && *s == at;
      ports =
          here ? fabric.ports(static_cast<SwitchId>(s - switches.begin())) : std::span<const fabric::Port>();
    }
    if (raw(d.port) < ports.size() && ports[raw(d.port)].peer) continue;
    if (raw(d.peer) != 0 && live_port(d.peer, d.peer_port)) continue;  // moved
    dark.push_back(d);
  }
  return dark;
}

}  // namespace

DesignGraph::DesignGraph(const Problem& problem) {
  const fabric::Fabric& fabric = *problem.fabric;
  live = static_cast<std::uint32_t>(fabric.switch_count());
  for (std::uint32_t s = 0; s < live; ++s) guids.push_back(fabric.node(static_cast<SwitchId>(s)).guid);
  std::vector<DesignPort> dark;
  if (problem.design) dark = dark_ports(*problem.design, fabric, guids);
  for (const DesignPort& d : dark)
    if (guids.size() == live || guids.back() != d.at)
      if (!std::binary_search(guids.begin(), guids.begin() + live, d.at)) guids.push_back(d.at);
  host_ports.resize(size());
  add_live(fabric);
  for (const DesignPort& d : dark) {
    const std::uint32_t a = index(d.at);
    if (raw(d.peer) == 0) host_ports[a].set(raw(d.port));
    if (raw(d.peer) == 0 || d.peer <= d.at) continue;
    if (const std::uint32_t b = index(d.peer); b < size())
      edges.push_back({a, b, raw(d.port), raw(d.peer_port), false});
  }
  list_ends();
}

std::uint32_t DesignGraph::index(Guid guid) const {
  auto at = std::lower_bound(guids.begin(), guids.begin() + live, guid);
  if (at == guids.begin() + live || *at != guid)
    at = std::lower_bound(guids.begin() + live, guids.end(), guid);
  return at == guids.end() || *at != guid ? size() : static_cast<std::uint32_t>(at - guids.begin());
}

void DesignGraph::add_live(const fabric::Fabric& fabric) {
  for (std::uint32_t s = 0; s < live; ++s) {
    const std::span<const fabric::Port> ports = fabric.ports(static_cast<SwitchId>(s));
    for (std::size_t p = 1; p < ports.size(); ++p) {
      if (!ports[p].peer) continue;
      const std::optional<SwitchId> to = fabric.switch_of(ports[p].peer->node);
      if (!to) host_ports[s].set(p);
      if (to && raw(*to) > s)
        edges.push_back({s, raw(*to), static_cast<std::uint8_t>(p), raw(ports[p].peer->port), true});
    }
  }
}

/// By neighbour without sorting: each neighbour in turn, in order of GUID, puts itself at the end of the
/// lists of those it is linked to.
void DesignGraph::list_ends() {
  begin.assign(size() + 1, 0);
  for (const Edge& e : edges) {
    ++begin[e.a + 1];
    ++begin[e.b + 1];
  }
  for (std::uint32_t s = 0; s < size(); ++s) begin[s + 1] += begin[s];
  std::vector<End> by_edge(edges.size() * 2);
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  for (const Edge& e : edges) {
    by_edge[next[e.a]++] = {e.b, e.port_a, e.port_b, e.live};
    by_edge[next[e.b]++] = {e.a, e.port_b, e.port_a, e.live};
  }
  std::vector<std::uint32_t> by_guid(size());
  std::iota(by_guid.begin(), by_guid.end(), 0U);
  if (live < size()) std::ranges::sort(by_guid, {}, [this](std::uint32_t s) { return guids[s]; });
  ends.resize(by_edge.size());
  std::copy(begin.begin(), begin.end() - 1, next.begin());
  for (const std::uint32_t t : by_guid) {
    for (std::uint32_t i = begin[t]; i < begin[t + 1]; ++i) {
      const End& e = by_edge[i];
      std::uint32_t at = next[e.to]++;
      for (; at > begin[e.to] && ends[at - 1].to == t && ends[at - 1].port > e.far_port; --at)
        ends[at] = ends[at - 1];  // parallel links, by own port
      ends[at] = {t, e.far_port, e.port, e.live};
    }
  }
}

std::size_t DesignGraph::dead_links() const {
  return static_cast<std::size_t>(std::ranges::count(edges, false, &Edge::live));
}

std::vector<std::uint32_t> given_groups(const Problem& problem, const DesignGraph& graph) {
  if (problem.groups.empty()) return {};
  constexpr std::uint32_t kNone = ~0U;
  std::vector<std::uint32_t> of(graph.size(), kNone);
  std::map<std::uint32_t, std::uint32_t> lowest;  // by number given
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    const auto at =
        std::ranges::lower_bound(problem.groups, graph.guids[s], {}, &std::pair<Guid, std::uint32_t>::first);
    if (at != problem.groups.end() && at->first == graph.guids[s])
      of[s] = lowest.emplace(at->second, s).first->second;
  }
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    if (of[s] != kNone) continue;
    std::map<std::uint32_t, std::uint32_t> links;
    for (const DesignGraph::End& e : graph.ends_of(s))
      if (of[e.to] != kNone) ++links[of[e.to]];
    const auto most =
        std::ranges::max_element(links, {}, &std::pair<const std::uint32_t, std::uint32_t>::second);
    of[s] = most == links.end() ? s : most->first;
  }
  return of;
}

}  // namespace weft::routing
