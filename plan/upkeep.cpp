#include "plan/upkeep.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "fabric/slow_link.h"
#include "fabric/without_links.h"

namespace weft::plan {
namespace {

using fabric::Fabric;
using fabric::PortRef;

/// The lower of a link's two ports.
PortRef link_at(const Fabric& fabric, PortRef port) { return std::min(port, *fabric.port(port).peer); }

std::optional<PortRef> find(const Fabric& fabric, Place place) {
  const auto node = fabric.find(place.node);
  if (!node || raw(place.port) > fabric.node(*node).port_count) return std::nullopt;
  return PortRef{*node, place.port};
}

bool is_between_switches(const Fabric& fabric, PortRef port) {
  const auto& peer = fabric.port(port).peer;
  return peer && fabric.is_switch(port.node) && fabric.is_switch(peer->node);
}

bool wants_closed(const Order& order) {
  return order.kind == Order::Kind::disabled || order.kind == Order::Kind::held;
}

/// By their lower ports, rising.
std::vector<PortRef> slow_between_switches(const Fabric& fabric) {
  std::vector<PortRef> links;
  for (const NodeId id : fabric.switches())
    for (std::size_t p = 1; p < fabric.ports(id).size(); ++p) {
      const PortRef here{id, static_cast<PortNum>(p)};
      if (is_between_switches(fabric, here) && link_at(fabric, here) == here && fabric::is_slow(fabric, here))
        links.push_back(here);
    }
  return links;
}

/// Which nodes hang together.
class Parts {
 public:
  explicit Parts(std::size_t nodes) : of_(nodes) { std::iota(of_.begin(), of_.end(), 0u); }
  std::uint32_t of(NodeId node) {
    std::uint32_t at = raw(node);
    while (of_[at] != at) at = of_[at] = of_[of_[at]];
    return at;
  }
  /// Whether they did not hang together before.
  bool join(NodeId a, NodeId b) {
    const std::uint32_t part_a = of(a);
    const std::uint32_t part_b = of(b);
    of_[part_a] = part_b;
    return part_a != part_b;
  }

 private:
  std::vector<std::uint32_t> of_;
};

}  // namespace

std::string_view name(Order::Kind kind) {
  switch (kind) {
    case Order::Kind::drained:
      return "drained";
    case Order::Kind::disabled:
      return "disabled";
    case Order::Kind::held:
      return "held";
    case Order::Kind::opening:
      return "to be enabled";
  }
  return "?";
}

std::vector<PortRef> avoided_links(const Fabric& fabric, const Orders& orders) {
  std::set<PortRef> links;
  for (const auto& [place, order] : orders) {
    const auto port = find(fabric, place);
    if (!port || order.kind == Order::Kind::opening) continue;
    const std::size_t first = raw(place.port) == 0 ? 1 : raw(place.port);
    const std::size_t last = raw(place.port) == 0 ? fabric.node(port->node).port_count : raw(place.port);
    for (std::size_t p = first; p <= last; ++p) {
      const PortRef here{port->node, static_cast<PortNum>(p)};
      if (is_between_switches(fabric, here)) links.insert(link_at(fabric, here));
    }
  }
  return {links.begin(), links.end()};
}

std::shared_ptr<const Fabric> usable_fabric(const Fabric& fabric, const Orders& orders,
                                            SlowLinks slow_links) {
  const std::vector<PortRef> ordered = avoided_links(fabric, orders);
  std::vector<PortRef> slow;
  if (slow_links == SlowLinks::avoid) slow = slow_between_switches(fabric);
  if (ordered.empty() && slow.empty()) return nullptr;
  const auto is_avoided = [&](PortRef link) {
    return std::ranges::binary_search(ordered, link) || std::ranges::binary_search(slow, link);
  };
  Parts parts(fabric.node_count());
  for (const NodeId id : fabric.switches()) {
    const auto ports = fabric.ports(id);
    for (std::size_t p = 1; p < ports.size(); ++p) {
      const PortRef here{id, static_cast<PortNum>(p)};
      if (is_between_switches(fabric, here) && !is_avoided(link_at(fabric, here)))
        parts.join(id, ports[p].peer->node);
    }
  }
  std::vector<PortRef> gone;
  const auto keep_needed = [&](std::span<const PortRef> links) {
    for (const PortRef link : links)
      if (!parts.join(link.node, fabric.port(link).peer->node)) gone.push_back(link);
  };
  std::erase_if(slow, [&](PortRef link) { return std::ranges::binary_search(ordered, link); });
  keep_needed(slow);
  keep_needed(ordered);
  return gone.empty() ? nullptr : std::make_shared<const Fabric>(fabric::without_links(fabric, gone));
}

std::vector<PortRef> closing_links(const Fabric& fabric, const Orders& orders) {
  std::vector<PortRef> links;
  for (const auto& [place, order] : orders) {
    const auto port = wants_closed(order) ? find(fabric, place) : std::nullopt;
    if (port && fabric.port(*port).peer) links.push_back(*port);
  }
  return links;
}

std::vector<NodeId> cut_off(const Fabric& fabric, PortRef from, std::span<const PortRef> links,
                            std::optional<NodeId> without) {
  std::set<PortRef> gone;
  for (const PortRef port : links)
    if (fabric.port(port).peer) gone.insert(link_at(fabric, port));
  std::vector<bool> reached(fabric.node_count());
  std::vector<NodeId> next;
  const auto reach = [&](NodeId node) {
    if (reached[raw(node)] || node == without) return;
    reached[raw(node)] = true;
    next.push_back(node);
  };
  reach(from.node);
  for (std::size_t i = 0; i < next.size(); ++i) {
    const NodeId node = next[i];
    const auto ports = fabric.ports(node);
    const bool passes = fabric.is_switch(node);
    for (std::size_t p = 1; p < ports.size(); ++p) {
      const PortRef here{node, static_cast<PortNum>(p)};
      if (!ports[p].peer || (!passes && here != from) || gone.contains(link_at(fabric, here))) continue;
      reach(ports[p].peer->node);
    }
  }
  std::vector<NodeId> lost;
  for (std::size_t n = 0; n < reached.size(); ++n)
    if (!reached[n] && static_cast<NodeId>(n) != without) lost.push_back(static_cast<NodeId>(n));
  return lost;
}

std::vector<PortOrder> port_orders(const Fabric& fabric, const Orders& orders, PortRef sm_port) {
  std::vector<PortOrder> told;
  std::vector<PortRef> closed;  // together they may cut what each alone does not
  for (const auto& [place, order] : orders) {
    const auto port = raw(place.port) == 0 ? std::nullopt : find(fabric, place);
    if (!port || !fabric.port(*port).known) continue;
    if (order.kind == Order::Kind::opening) told.push_back({*port, PhysState::polling});
    if (!wants_closed(order)) continue;
    if (fabric.port(*port).peer) {
      const std::size_t lost_before = order.forced ? 0 : cut_off(fabric, sm_port, closed).size();
      closed.push_back(*port);
      if (!order.forced && cut_off(fabric, sm_port, closed).size() > lost_before) {
        closed.pop_back();
        continue;
      }
    }
    told.push_back({*port, PhysState::disabled});
  }
  return told;
}

}  // namespace weft::plan
