#include "plan/turns.h"

namespace weft::plan {

Turns::Turns(const fabric::Fabric& fabric, const routing::Routes& routes,
             std::span<const routing::Destination> destinations) {
  std::size_t size = 0;
  for (std::size_t s = 0; s < fabric.switch_count(); ++s) {
    first_.push_back(size);
    width_.push_back(fabric.ports(static_cast<SwitchId>(s)).size());
    size += width_.back() * width_.back();
  }
  bits_.resize(size);
  mark_unicast(fabric, routes, destinations);
  mark_edges(fabric);
}

/// What a switch sends to another by a trunk, the other sends on by its own table.
void Turns::mark_unicast(const fabric::Fabric& fabric, const routing::Routes& routes,
                         std::span<const routing::Destination> destinations) {
  for (const routing::Destination& destination : destinations) {
    const int lids = 1 << destination.lmc;
    for (int i = 0; i < lids; ++i) {
      const auto lid = static_cast<Lid>(raw(destination.base) + i);
      for (std::size_t s = 0; s < fabric.switch_count(); ++s) {
        const PortNum out = routes.out(static_cast<SwitchId>(s), lid);
        const auto ports = fabric.ports(static_cast<SwitchId>(s));
        if (raw(out) == 0 || raw(out) >= ports.size() || !ports[raw(out)].peer) continue;
        const fabric::PortRef next = *ports[raw(out)].peer;
        const auto there = fabric.switch_of(next.node);
        if (!there) continue;
        const PortNum on = routes.out(*there, lid);
        if (raw(on) == 0 || raw(on) >= width_[raw(*there)]) continue;
        const std::size_t base = first_[raw(*there)];
        const std::size_t width = width_[raw(*there)];
        bits_[base + raw(next.port) * width + raw(on)] = 1;
        bits_[base + raw(on) * width + raw(next.port)] = 1;
      }
    }
  }
}

void Turns::mark_edges(const fabric::Fabric& fabric) {
  for (std::size_t s = 0; s < fabric.switch_count(); ++s) {
    const auto ports = fabric.ports(static_cast<SwitchId>(s));
    const auto is_edge = [&](std::size_t p) {
      return p == 0 || (ports[p].peer && !fabric.is_switch(ports[p].peer->node));
    };
    for (std::size_t in = 0; in < ports.size(); ++in)
      for (std::size_t out = 0; out < ports.size(); ++out)
        if (in != out && (is_edge(in) || is_edge(out))) bits_[first_[s] + in * width_[s] + out] = 1;
  }
}

}  // namespace weft::plan
