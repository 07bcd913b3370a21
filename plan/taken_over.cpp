#include "plan/taken_over.h"

#include <algorithm>
#include <iterator>

#include "plan/port_settings.h"

namespace weft::plan {

using fabric::Fabric;
using fabric::PortRef;

bool same_nodes(const Fabric& a, const Fabric& b) {
  return std::ranges::equal(a.nodes(), b.nodes(), [](const fabric::Node& x, const fabric::Node& y) {
    return x.guid == y.guid && x.type == y.type && x.port_count == y.port_count;
  });
}

std::optional<Lids> same_lids(const Fabric& fabric, const Ledger& ledger, const Before& before) {
  const Lids& lids = before.plan.lids;
  if (lids.map != ledger.lids || !lids.notes.empty() || !lids.without.empty() ||
      lids.of_end_port.size() != fabric.end_ports().size() || !same_nodes(fabric, before.fabric) ||
      !std::ranges::equal(fabric.end_ports(), before.fabric.end_ports()))
    return std::nullopt;
  for (const NodeId id : fabric.switches())
    if (fabric.node(id).switch_facts != before.fabric.node(id).switch_facts) return std::nullopt;
  for (std::size_t i = 0; i < fabric.end_ports().size(); ++i) {
    const PortRef end = fabric.end_ports()[i];
    const fabric::Port& port = fabric.port(end);
    if (port.guid != before.fabric.port(end).guid) return std::nullopt;
    // Who carries another LID than he has is told of.
    if (port.lid != kLidNone && port.lid != lids.of_end_port[i].base) return std::nullopt;
  }
  return lids;
}

namespace {

/// Hosts of before whose LIDs nobody has now.
std::vector<routing::Destination> without_place(const Plan& previous, const routing::Problem& problem) {
  std::vector<routing::Destination> gone;
  auto now = problem.destinations.begin();
  Lid taken{};  // LIDs up to here belong to somebody
  for (const routing::Destination& was : previous.problem.destinations) {
    if (was.is_switch()) continue;
    const std::uint32_t last = raw(was.base) + (1u << was.lmc) - 1;
    for (; now != problem.destinations.end() && raw(now->base) <= last; ++now)
      taken = static_cast<Lid>(raw(now->base) + (1u << now->lmc) - 1);
    if (taken < was.base) gone.push_back(was);
  }
  return gone;
}

}  // namespace

void keep_places(const Fabric& fabric, const Plan& previous, const LidMap& lids, routing::Problem& problem) {
  std::vector<routing::Destination> away = without_place(previous, problem);
  if (away.empty()) return;
  std::vector<LidRange> kept;
  for (const auto& [guid, range] : lids) kept.push_back(range);
  std::ranges::sort(kept);
  std::uint32_t room = raw(kLidLastUnicast);
  for (const NodeId id : fabric.switches())
    if (const std::uint32_t capacity = fabric.node(id).switch_facts.lft_capacity; capacity != 0)
      room = std::min(room, capacity - 1);
  std::erase_if(away, [&](routing::Destination& one) {
    const Guid leaf = previous.routes().switches[raw(one.at)];
    const auto node = fabric.find(leaf);
    const auto at = node ? fabric.switch_of(*node) : std::nullopt;
    const std::uint32_t last = raw(one.base) + (1u << one.lmc) - 1;
    if (!at || raw(one.port) >= fabric.ports(*at).size() || fabric.ports(*at)[raw(one.port)].peer ||
        last > room || !std::ranges::binary_search(kept, LidRange{one.base, one.lmc}))
      return true;
    one.at = *at;
    one.away = true;
    problem.top = std::max(problem.top, static_cast<Lid>(last));
    return false;
  });
  std::vector<routing::Destination> all;
  all.reserve(problem.destinations.size() + away.size());
  std::ranges::merge(problem.destinations, away, std::back_inserter(all), {}, &routing::Destination::base,
                     &routing::Destination::base);
  problem.destinations = std::move(all);
}

std::optional<std::vector<PortSettings>> same_settings(const Fabric& fabric, const Config& config,
                                                       const Plan& plan, const Before& before) {
  const Plan& old = before.plan;
  const bool plain = !plan.partitions.active && !old.partitions.active && !old.levels.active() &&
                     old.port_orders.empty() && config.qos.levels.empty() && !config.qos.tables;
  if (!plain || plan.sm_lid != old.sm_lid || plan.lids.of_end_port != old.lids.of_end_port ||
      !same_nodes(fabric, before.fabric) ||
      !std::ranges::equal(fabric.end_ports(), before.fabric.end_ports()))
    return std::nullopt;
  std::vector<PortSettings> all = old.ports;
  const auto renew = [&](PortRef port) {
    PortSettings& settings = all[fabric.node(port.node).first_port + raw(port.port)];
    PortSettings fresh = settings_of_link(fabric, config, plan.sm_lid, port);
    if (settings.end_port) {
      fresh.end_port = true;
      fresh.lid = settings.lid;
      fresh.prefix = settings.prefix;
      fresh.subnet_timeout = settings.subnet_timeout;
    }
    settings = fresh;
  };
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
    const auto now = fabric.ports(NodeId{n});
    const auto was = before.fabric.ports(NodeId{n});
    for (std::size_t p = 1; p < now.size(); ++p) {
      const bool same = now[p].peer == was[p].peer && now[p].known == was[p].known &&
                        now[p].mtu_cap == was[p].mtu_cap && now[p].vl_cap == was[p].vl_cap;
      if (same) continue;
      renew({NodeId{n}, static_cast<PortNum>(p)});
      if (now[p].peer) renew(*now[p].peer);
    }
  }
  return all;
}

}  // namespace weft::plan
