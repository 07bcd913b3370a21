#include "fabric/without_links.h"

#include <algorithm>
#include <set>

#include "fabric/builder.h"

namespace weft::fabric {

Fabric without_links(const Fabric& fabric, std::span<const PortRef> links) {
  std::set<PortRef> gone;
  std::set<Guid> touched;
  for (const PortRef port : links) {
    const auto& peer = fabric.port(port).peer;
    if (!peer) continue;
    gone.insert({port, *peer});
    touched.insert({fabric.node(port.node).guid, fabric.node(peer->node).guid});
  }
  Builder builder = builder_of(fabric, touched);
  for (const Guid guid : touched) {
    const NodeId node = *fabric.find(guid);
    const auto ports = fabric.ports(node);
    for (std::size_t p = 1; p < ports.size(); ++p) {
      const auto number = static_cast<PortNum>(p);
      if (!ports[p].peer || gone.contains({node, number})) continue;
      (void)builder.connect({guid, number}, {fabric.node(ports[p].peer->node).guid, ports[p].peer->port});
    }
  }
  return builder.build();
}

}  // namespace weft::fabric
