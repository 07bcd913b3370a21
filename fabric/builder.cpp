#include "fabric/builder.h"

#include <algorithm>
#include <numeric>

namespace weft::fabric {

Result<void> Builder::add_node(Node node) {
  if (node.guid == Guid{}) return fail(Errc::invalid, "a node with GUID 0");
  if (node.port_count == 0 || node.port_count > kMaxPorts)
    return fail(Errc::invalid, "{}: {} ports", describe(node), node.port_count);
  if (has_node(node.guid)) return fail(Errc::conflict, "node GUID {} stands twice", to_string(node.guid));
  const std::size_t slots = static_cast<std::size_t>(node.port_count) + 1;
  index_.emplace(node.guid, nodes_.size());
  nodes_.push_back({std::move(node), std::vector<Port>(slots), std::vector<std::optional<End>>(slots)});
  return {};
}

void Builder::set_description(Guid guid, std::string description) {
  nodes_[index_.at(guid)].node.description = std::move(description);
}

void Builder::set_switch_facts(Guid guid, SwitchFacts facts) {
  nodes_[index_.at(guid)].node.switch_facts = facts;
}

Result<void> Builder::must_have(End end) const {
  const auto found = index_.find(end.guid);
  if (found == index_.end()) return fail(Errc::not_found, "no node {}", to_string(end.guid));
  const Node& node = nodes_[found->second].node;
  if (raw(end.port) > node.port_count)
    return fail(Errc::invalid, "{} has no port {}", describe(node), raw(end.port));
  return {};
}

Result<void> Builder::set_port(Guid guid, PortNum number, Port port) {
  if (Result<void> ok = must_have({guid, number}); !ok) return ok;
  port.peer.reset();
  nodes_[index_.at(guid)].ports[raw(number)] = std::move(port);
  return {};
}

const Port& Builder::port(Guid guid, PortNum number) const {
  return nodes_[index_.at(guid)].ports.at(raw(number));
}

Result<void> Builder::connect(End a, End b) {
  for (const End end : {a, b}) {
    if (Result<void> ok = must_have(end); !ok) return ok;
    if (raw(end.port) == 0) return fail(Errc::invalid, "{} port 0 has no link", describe(node(end.guid)));
  }
  if (a == b)
    return fail(Errc::invalid, "{} port {} is joined to itself", describe(node(a.guid)), raw(a.port));
  for (const auto& [end, other] : {std::pair{a, b}, std::pair{b, a}}) {
    const std::optional<End> now = peer(end);
    if (now && *now != other)
      return fail(Errc::conflict, "{} port {} leads to {} port {} and to {} port {}",
                  describe(node(end.guid)), raw(end.port), describe(node(now->guid)), raw(now->port),
                  describe(node(other.guid)), raw(other.port));
  }
  nodes_[index_.at(a.guid)].peers[raw(a.port)] = b;
  nodes_[index_.at(b.guid)].peers[raw(b.port)] = a;
  return {};
}

std::optional<Builder::End> Builder::peer(End end) const {
  return nodes_[index_.at(end.guid)].peers.at(raw(end.port));
}

void Builder::drop_node(Guid guid) {
  const std::size_t at = index_.at(guid);
  for (const std::optional<End>& peer : nodes_[at].peers)
    if (peer) nodes_[index_.at(peer->guid)].peers[raw(peer->port)].reset();
  index_.erase(guid);
  if (at + 1 < nodes_.size()) {
    nodes_[at] = std::move(nodes_.back());
    index_[nodes_[at].node.guid] = at;
  }
  nodes_.pop_back();
}

Fabric Builder::build() const {
  std::vector<std::size_t> order(nodes_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [this](std::size_t i) { return nodes_[i].node.guid; });
  std::vector<NodeId> id_of(nodes_.size());
  for (std::size_t id = 0; id < order.size(); ++id) id_of[order[id]] = static_cast<NodeId>(id);

  Fabric fabric;
  std::vector<std::pair<Guid, PortRef>> extra;  // switches whose port 0 has a GUID of its own, or none told
  fabric.switch_ids_.resize(nodes_.size());
  for (const std::size_t i : order) {
    const Entry& entry = nodes_[i];
    Node node = entry.node;
    const NodeId id = id_of[i];
    node.first_port = static_cast<std::uint32_t>(fabric.ports_.size());
    for (std::size_t p = 0; p < entry.ports.size(); ++p) {
      Port port = entry.ports[p];
      if (entry.peers[p]) port.peer = PortRef{id_of[index_.at(entry.peers[p]->guid)], entry.peers[p]->port};
      const PortRef ref{id, static_cast<PortNum>(p)};
      const bool is_switch = node.type == NodeType::switch_;
      if (is_switch ? p == 0 : port.peer.has_value()) fabric.end_ports_.push_back(ref);
      if (port.guid != Guid{}) fabric.port_guids_.emplace_back(port.guid, ref);
      fabric.ports_.push_back(std::move(port));
    }
    if (node.type == NodeType::switch_) {
      fabric.switch_ids_[raw(id)] = static_cast<SwitchId>(fabric.switches_.size());
      fabric.switches_.push_back(id);
    }
    fabric.nodes_.push_back(std::move(node));
  }
  std::ranges::sort(fabric.port_guids_);
  for (const NodeId id : fabric.switches_)
    if (const Guid guid = fabric.node(id).guid; !fabric.find_port(guid))
      extra.emplace_back(guid, PortRef{id, PortNum{0}});
  fabric.port_guids_.insert(fabric.port_guids_.end(), extra.begin(), extra.end());
  std::ranges::sort(fabric.port_guids_);
  return fabric;
}

Builder builder_of(const Fabric& fabric, const std::set<Guid>& without_links) {
  Builder builder;
  for (const Node& node : fabric.nodes()) (void)builder.add_node(node);
  for (std::size_t n = 0; n < fabric.node_count(); ++n) {
    const Guid guid = fabric.nodes()[n].guid;
    const auto ports = fabric.ports(static_cast<NodeId>(n));
    for (std::size_t p = 0; p < ports.size(); ++p) {
      const Builder::End here{guid, static_cast<PortNum>(p)};
      (void)builder.set_port(guid, here.port, ports[p]);
      if (!ports[p].peer) continue;
      const Builder::End peer{fabric.node(ports[p].peer->node).guid, ports[p].peer->port};
      if (without_links.contains(guid) || without_links.contains(peer.guid)) continue;
      (void)builder.connect(here, peer);
    }
  }
  return builder;
}

}  // namespace weft::fabric
