#include "discovery/leave_out.h"

#include <algorithm>
#include <set>

#include "fabric/builder.h"
#include "fabric/path_tree.h"

namespace weft::discovery {
namespace {

/// The Fabric without some nodes.
std::shared_ptr<const fabric::Fabric> without(const fabric::Fabric& fabric, const std::set<Guid>& gone) {
  fabric::Builder builder = fabric::builder_of(fabric);
  for (const Guid guid : gone)
    if (builder.has_node(guid)) builder.drop_node(guid);
  return std::make_shared<const fabric::Fabric>(builder.build());
}

fabric::PortRef same_port(const fabric::Fabric& before, const fabric::Fabric& after, fabric::PortRef port) {
  return {*after.find(before.node(port.node).guid), port.port};
}

}  // namespace

Discovered leave_out(const Discovered& found, std::span<const Finding> findings) {
  const fabric::Fabric& before = *found.fabric;
  std::set<Guid> gone;
  for (const Finding& finding : findings) gone.insert(finding.node);
  const std::set<Guid> named = gone;
  const auto rest = without(before, gone);
  const fabric::PathTree reached(*rest, same_port(before, *rest, found.own_port));
  for (std::uint32_t n = 0; n < rest->node_count(); ++n)
    if (!reached.reaches(static_cast<NodeId>(n))) gone.insert(rest->node(static_cast<NodeId>(n)).guid);

  Discovered kept = found;
  kept.fabric = gone == named ? rest : without(before, gone);
  kept.own_port = same_port(before, *kept.fabric, found.own_port);
  kept.findings.insert(kept.findings.end(), findings.begin(), findings.end());
  std::ranges::sort(kept.findings, {}, &Finding::what);
  std::erase_if(kept.dangling,
                [&](const Dangling& one) { return gone.contains(before.node(one.port.node).guid); });
  for (Dangling& one : kept.dangling) one.port = same_port(before, *kept.fabric, one.port);
  const fabric::PathTree paths(*kept.fabric, kept.own_port);
  for (const Guid guid : named) {
    for (const fabric::Port& port : before.ports(*before.find(guid))) {
      if (!port.peer || gone.contains(before.node(port.peer->node).guid)) continue;
      const fabric::PortRef left = same_port(before, *kept.fabric, *port.peer);
      const mad::DirectedRoute route(*paths.ports_to(left.node));
      if (!route.full()) kept.dangling.push_back({left, route.then(left.port), guid});
    }
  }
  std::ranges::sort(kept.dangling, {}, &Dangling::port);
  return kept;
}

}  // namespace weft::discovery
