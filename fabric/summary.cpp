#include "fabric/summary.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/words.h"

namespace weft::fabric {

Summary summarize(const Fabric& fabric) {
  Summary summary;
  for (std::size_t i = 0; i < fabric.node_count(); ++i) {
    const auto id = static_cast<NodeId>(i);
    switch (fabric.node(id).type) {
      case NodeType::hca:
        ++summary.hosts;
        break;
      case NodeType::switch_:
        ++summary.switches;
        break;
      case NodeType::router:
        ++summary.routers;
        break;
    }
    const auto ports = fabric.ports(id);
    for (std::size_t p = 1; p < ports.size(); ++p) {
      const Port& port = ports[p];
      if (port.known) ++summary.ports_by_state[port.state];
      if (!port.peer || *port.peer < PortRef{id, static_cast<PortNum>(p)}) continue;  // each link once
      ++summary.links;
      ++summary.links_by_state[std::min(port.state, fabric.port(*port.peer).state)];
      ++summary.links_by_rate[{port.speed, port.width}];
    }
  }
  return summary;
}

std::string to_string(const Summary& summary) {
  std::string text =
      fmt::format("{}, {}, {}, {}", counted(summary.switches, "switch"), counted(summary.hosts, "host"),
                  counted(summary.routers, "router"), counted(summary.links, "link"));
  const auto out = std::back_inserter(text);
  std::string_view mark = ": ";
  for (auto at = summary.links_by_state.rbegin(); at != summary.links_by_state.rend(); ++at) {
    fmt::format_to(out, "{}{} {}", mark, at->second, name(at->first));
    mark = ", ";
  }
  mark = "; ";
  for (auto at = summary.links_by_rate.rbegin(); at != summary.links_by_rate.rend(); ++at) {
    fmt::format_to(out, "{}{} at {} {}", mark, at->second, name(at->first.second), name(at->first.first));
    mark = ", ";
  }
  return text;
}

}  // namespace weft::fabric
