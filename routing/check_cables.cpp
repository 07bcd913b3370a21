#include "routing/check_cables.h"

#include <algorithm>
#include <numeric>

namespace weft::routing {

CheckCables::CheckCables(const Problem& problem)
    : count(static_cast<std::uint32_t>(problem.fabric->switch_count())) {
  read_links(*problem.fabric);
  find_parts();
  count_sources(problem);
}

void CheckCables::read_links(const fabric::Fabric& fabric) {
  for (const NodeId id : fabric.switches())
    width = std::max<std::uint32_t>(width, static_cast<std::uint32_t>(fabric.ports(id).size()));
  peers.assign(std::size_t{count} * width, kDead);
  far.assign(peers.size(), 0);
  for (std::uint32_t s = 0; s < count; ++s) {
    const std::span<const fabric::Port> ports = fabric.ports(static_cast<SwitchId>(s));
    peers[s * width] = kEnd;
    for (std::uint32_t p = 1; p < ports.size(); ++p) {
      if (!ports[p].peer) continue;
      const std::optional<SwitchId> to = fabric.switch_of(ports[p].peer->node);
      peers[s * width + p] = to ? static_cast<std::uint16_t>(raw(*to)) : kEnd;
      far[s * width + p] = raw(ports[p].peer->port);
    }
  }
}

/// Union-find with path halving, over the cables.
void CheckCables::find_parts() {
  part.resize(count);
  std::iota(part.begin(), part.end(), 0U);
  const auto root = [this](std::uint32_t s) {
    while (part[s] != s) s = part[s] = part[part[s]];
    return s;
  };
  for (std::uint32_t i = 0; i < peers.size(); ++i)
    if (peers[i] < count) part[root(i / width)] = root(peers[i]);
  for (std::uint32_t s = 0; s < count; ++s) part[s] = root(s);
  one_part = std::ranges::all_of(part, [this](std::uint32_t p) { return p == part[0]; });
}

void CheckCables::count_sources(const Problem& problem) {
  hosts.resize(count);
  runs_sm.resize(count);
  if (count == 0) return;
  for (const Destination& d : problem.destinations) {
    if (!d.is_switch()) ++hosts[raw(d.at)];
    if (d.is_switch() && d.runs_sm) runs_sm[raw(d.at)] = 1;
  }
  to_peer.resize(count);
  to_switch.resize(count);
  for (std::uint32_t s = 0; s < count; ++s) {
    all.push_back(s);
    if (hosts[s] + runs_sm[s] != 0) talkers.push_back(s);
    to_peer[part[s]] += hosts[s] + 1;
    to_switch[part[s]] += hosts[s] + runs_sm[s];
  }
}

}  // namespace weft::routing
