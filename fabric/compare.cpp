#include "fabric/compare.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace weft::fabric {
namespace {

struct End {
  Guid guid{};
  PortNum port{};
  auto operator<=>(const End&) const = default;
};

std::optional<End> peer_of(const Fabric& fabric, const Port& port) {
  if (!port.peer) return std::nullopt;
  return End{fabric.node(port.peer->node).guid, port.peer->port};
}

std::string rate(const Port& port) { return fmt::format("{} {}", name(port.width), name(port.speed)); }

/// One comparison under way.
class Comparison {
 public:
  Comparison(const Fabric& before, const Fabric& after) : before_(before), after_(after) {}

  std::vector<Difference> run() {
    std::size_t old_at = 0;
    std::size_t new_at = 0;
    while (old_at < before_.node_count() || new_at < after_.node_count()) {
      const auto old_id = static_cast<NodeId>(old_at);
      const auto new_id = static_cast<NodeId>(new_at);
      const bool have_old = old_at < before_.node_count();
      const bool have_new = new_at < after_.node_count();
      if (have_old && (!have_new || before_.node(old_id).guid < after_.node(new_id).guid)) {
        add_node(DifferenceKind::node_gone, before_.node(old_id), "is gone" + where_it_hung(old_id));
        ++old_at;
      } else if (have_new && (!have_old || after_.node(new_id).guid < before_.node(old_id).guid)) {
        add_node(DifferenceKind::node_new, after_.node(new_id), "is new");
        ++new_at;
      } else {
        node(old_id, new_id);
        ++old_at;
        ++new_at;
      }
    }
    return std::move(found_);
  }

 private:
  void add_node(DifferenceKind kind, const Node& node, std::string_view what) {
    found_.push_back(
        {kind, node.guid, {}, {}, {}, fmt::format("{} {} {}", name(node.type), describe(node), what)});
  }

  /// Of a node that had one link or two: those ends that may tell where to look for it.
  std::string where_it_hung(NodeId old_id) const {
    constexpr std::size_t kNamed = 2;
    std::string text;
    std::size_t links = 0;
    for (const Port& port : before_.ports(old_id)) {
      if (!port.peer) continue;
      if (++links > kNamed) return "";
      text += (links == 1 ? "; it hung on " : " and on ") + describe(before_, *port.peer);
    }
    return text;
  }

  void node(NodeId old_id, NodeId new_id) {
    const Node& was = before_.node(old_id);
    const Node& now = after_.node(new_id);
    if (was.type != now.type)
      add_node(DifferenceKind::node_changed, now, fmt::format("was a {}", name(was.type)));
    if (was.port_count != now.port_count)
      add_node(DifferenceKind::node_changed, now,
               fmt::format("had {} ports, has {}", was.port_count, now.port_count));
    if (was.description != now.description)
      add_node(DifferenceKind::node_changed, now, fmt::format("was called {}", was.description));
    static const Port kNone;
    const auto old_ports = before_.ports(old_id);
    const auto new_ports = after_.ports(new_id);
    for (std::size_t p = 0; p < std::max(old_ports.size(), new_ports.size()); ++p) {
      const Port& old_port = p < old_ports.size() ? old_ports[p] : kNone;
      const Port& new_port = p < new_ports.size() ? new_ports[p] : kNone;
      port({now.guid, static_cast<PortNum>(p)}, now, old_port, new_port);
    }
  }

  void port(End here, const Node& now, const Port& old_port, const Port& new_port) {
    const std::optional<End> old_peer = peer_of(before_, old_port);
    const std::optional<End> new_peer = peer_of(after_, new_port);
    if (old_peer != new_peer) {
      if (old_peer && here < *old_peer && after_.find(old_peer->guid))
        add_link(DifferenceKind::link_gone, here, *old_peer, before_, *old_port.peer, now, "is gone");
      if (new_peer && here < *new_peer && before_.find(new_peer->guid))
        add_link(DifferenceKind::link_new, here, *new_peer, after_, *new_port.peer, now, "is new");
      return;
    }
    if (new_peer && here < *new_peer &&
        (old_port.width != new_port.width || old_port.speed != new_port.speed))
      add_link(DifferenceKind::link_rate_changed, here, *new_peer, after_, *new_port.peer, now,
               fmt::format("was {}, is {}", rate(old_port), rate(new_port)));
    if (old_port.state != new_port.state)
      found_.push_back({DifferenceKind::port_state_changed, here.guid, here.port,
                        new_peer ? new_peer->guid : Guid{}, new_peer ? new_peer->port : PortNum{},
                        fmt::format("{} port {} was {}, is {}", describe(now), raw(here.port),
                                    name(old_port.state), name(new_port.state))});
  }

  void add_link(DifferenceKind kind, End here, End peer, const Fabric& fabric, PortRef peer_ref,
                const Node& node, std::string_view what) {
    found_.push_back({kind, here.guid, here.port, peer.guid, peer.port,
                      fmt::format("link {} port {} to {} {}", describe(node), raw(here.port),
                                  describe(fabric, peer_ref), what)});
  }

  const Fabric& before_;
  const Fabric& after_;
  std::vector<Difference> found_;
};

}  // namespace

std::string_view name(DifferenceKind kind) {
  switch (kind) {
    case DifferenceKind::node_new:
      return "node_new";
    case DifferenceKind::node_gone:
      return "node_gone";
    case DifferenceKind::node_changed:
      return "node_changed";
    case DifferenceKind::link_new:
      return "link_new";
    case DifferenceKind::link_gone:
      return "link_gone";
    case DifferenceKind::link_rate_changed:
      return "link_rate_changed";
    case DifferenceKind::port_state_changed:
      return "port_state_changed";
  }
  return "?";
}

std::vector<Difference> compare(const Fabric& before, const Fabric& after) {
  return Comparison(before, after).run();
}

}  // namespace weft::fabric
