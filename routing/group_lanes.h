#pragma once
// GroupLanes: the two lanes of a fabric of groups, dragonfly or Dragonfly+ alike: a global link to a higher
// group is on VL 0, one to a lower group on VL 1; inside a group a packet is on VL 0 before it has crossed
// any link, else on VL 1. Source: reference "Routing", 2.4.

#include "routing/design.h"

namespace weft::routing {

/// `group_of(s)`: the group of a switch of the graph.
template <typename GroupOf>
Lanes group_lanes(const Problem& problem, const DesignGraph& graph, const GroupOf& group_of) {
  enum PortClass : std::uint8_t { end_port = Lanes::kEndClass, local_port, rising_port, falling_port };
  Lanes lanes;
  lanes.count = 2;
  for (std::uint32_t s = 0; s < graph.live; ++s) {
    std::vector<std::uint8_t> classes(problem.fabric->ports(static_cast<SwitchId>(s)).size(), end_port);
    for (const DesignGraph::End& e : graph.ends_of(s)) {
      if (e.port >= classes.size()) continue;
      const std::uint32_t here = group_of(s);
      const std::uint32_t there = group_of(e.to);
      classes[e.port] = here == there ? local_port : here < there ? rising_port : falling_port;
    }
    lanes.port_class.push_back(std::move(classes));
  }
  for (std::size_t in = 0; in < Lanes::kClasses; ++in) {
    lanes.vl[in][rising_port] = 0;
    lanes.vl[in][falling_port] = 1;
    lanes.vl[in][local_port] = in == end_port ? 0 : 1;
  }
  return lanes;
}

}  // namespace weft::routing
