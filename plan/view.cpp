#include "plan/view.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace weft::plan {
namespace {

/// Follows the tables from `here`, which a packet to `to` has reached, until it arrives or goes wrong.
Result<void> follow(const View& view, fabric::PortRef here, fabric::PortRef owner, Lid to,
                    std::vector<Hop>& hops) {
  const fabric::Fabric& fabric = *view.fabric;
  const auto lost = [&](std::string_view why) {
    return fail(Errc::unsafe, "LID {} is lost at {}: {}", raw(to), describe(fabric.node(here.node)), why);
  };
  const std::size_t most = hops.size() + fabric.switch_count();
  while (true) {
    const std::optional<SwitchId> at = fabric.switch_of(here.node);
    if (!at) return here == owner ? Result<void>{} : lost("it is not its own");
    const PortNum out = view.plan->routes().out(*at, to);
    if (out == PortNum{0})
      return here.node == owner.node ? Result<void>{} : lost("the switch takes it for itself");
    if (out == kPortDrop) return lost("it has no entry there");
    const std::span<const fabric::Port> ports = fabric.ports(*at);
    if (raw(out) >= ports.size() || !ports[raw(out)].peer)
      return lost(fmt::format("its port {} leads nowhere", raw(out)));
    if (hops.size() == most) return lost("it goes round in a loop");
    hops.push_back({{here.node, out}, *ports[raw(out)].peer});
    here = hops.back().in;
  }
}

}  // namespace

routing::Problem problem_of(const View& view) {
  routing::Problem problem = view.plan->problem;
  problem.fabric = view.plan->usable ? view.plan->usable.get() : view.fabric.get();
  problem.design = view.ledger.design.get();
  return problem;
}

std::optional<fabric::PortRef> end_port_of(const View& view, Lid lid) {
  if (!view.plan) return std::nullopt;
  const std::vector<LidRange>& ranges = view.plan->lids.of_end_port;
  const auto has = [&](LidRange range) {
    return range.base != kLidNone && lid >= range.base && raw(lid) < raw(range.base) + range.size();
  };
  const auto at = std::ranges::find_if(ranges, has);
  if (at == ranges.end()) return std::nullopt;
  return view.fabric->end_ports()[static_cast<std::size_t>(at - ranges.begin())];
}

Result<std::vector<Hop>> path(const View& view, fabric::PortRef from, Lid to) {
  const std::optional<fabric::PortRef> owner = end_port_of(view, to);
  if (!owner) return fail(Errc::not_found, "nobody has LID {}", raw(to));
  std::vector<Hop> hops;
  if (from == *owner) return hops;
  if (!view.fabric->is_switch(from.node)) {
    const std::optional<fabric::PortRef>& peer = view.fabric->port(from).peer;
    if (!peer) return fail(Errc::unsafe, "{} has no link", describe(*view.fabric, from));
    hops.push_back({from, *peer});
    from = *peer;
  }
  if (Result<void> arrived = follow(view, from, *owner, to, hops); !arrived) return fail(arrived.error());
  return hops;
}

}  // namespace weft::plan
