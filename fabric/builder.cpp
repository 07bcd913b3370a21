#include "fabric/builder.h"

#include <algorithm>
#include <numeric>
#include <utility>

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

/// Where the base has the node, if it still is that one.
std::optional<NodeId> Builder::in_base(Guid guid) const {
  if (base_ == nullptr || hidden_.contains(guid)) return std::nullopt;
  return base_->find(guid);
}

const Node& Builder::node(Guid guid) const {
  const auto own = index_.find(guid);
  return own != index_.end() ? nodes_[own->second].node : base_->node(*in_base(guid));
}

/// To be written: taken out of the base where it is there.
Builder::Entry& Builder::entry(Guid guid) {
  if (const auto own = index_.find(guid); own != index_.end()) return nodes_[own->second];
  const NodeId id = *in_base(guid);
  const std::span<const Port> ports = base_->ports(id);
  Entry entry{base_->node(id), {ports.begin(), ports.end()}, {}};
  for (Port& port : entry.ports) {
    entry.peers.emplace_back();
    if (port.peer) entry.peers.back() = End{base_->node(port.peer->node).guid, port.peer->port};
    port.peer.reset();
  }
  hidden_.insert(guid);
  index_.emplace(guid, nodes_.size());
  return nodes_.emplace_back(std::move(entry));
}

void Builder::set_description(Guid guid, std::string description) {
  if (node(guid).description != description) entry(guid).node.description = std::move(description);
}

void Builder::set_switch_facts(Guid guid, SwitchFacts facts) {
  if (node(guid).switch_facts != facts) entry(guid).node.switch_facts = facts;
}

Result<void> Builder::must_have(End end) const {
  if (!has_node(end.guid)) return fail(Errc::not_found, "no node {}", to_string(end.guid));
  const Node& at = node(end.guid);
  if (raw(end.port) > at.port_count)
    return fail(Errc::invalid, "{} has no port {}", describe(at), raw(end.port));
  return {};
}

Result<void> Builder::set_port(Guid guid, PortNum number, Port port) {
  if (Result<void> ok = must_have({guid, number}); !ok) return ok;
  port.peer.reset();
  entry(guid).ports[raw(number)] = std::move(port);
  return {};
}

const Port& Builder::port(Guid guid, PortNum number) const {
  const auto own = index_.find(guid);
  return own != index_.end() ? nodes_[own->second].ports.at(raw(number))
                             : base_->port({*in_base(guid), number});
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
  if (peer(a) == b) return {};
  entry(a.guid).peers[raw(a.port)] = b;
  entry(b.guid).peers[raw(b.port)] = a;
  return {};
}

std::optional<Builder::End> Builder::peer(End end) const {
  if (const auto own = index_.find(end.guid); own != index_.end())
    return nodes_[own->second].peers.at(raw(end.port));
  const auto& peer = base_->port({*in_base(end.guid), end.port}).peer;
  if (!peer) return std::nullopt;
  return End{base_->node(peer->node).guid, peer->port};
}

void Builder::drop_node(Guid guid) {
  const std::vector<std::optional<End>> peers = entry(guid).peers;
  for (const std::optional<End>& peer : peers)
    if (peer) entry(peer->guid).peers[raw(peer->port)].reset();
  const std::size_t at = index_.at(guid);
  index_.erase(guid);
  if (at + 1 < nodes_.size()) {
    nodes_[at] = std::move(nodes_.back());
    index_[nodes_[at].node.guid] = at;
  }
  nodes_.pop_back();
}

/// Whether the nodes are those of the base, so that their ids are, too.
bool Builder::has_nodes_of_base() const {
  if (base_ == nullptr || nodes_.size() != hidden_.size()) return false;
  return std::ranges::all_of(nodes_, [this](const Entry& own) {
    const auto id = base_->find(own.node.guid);
    return id && base_->node(*id).type == own.node.type && base_->node(*id).port_count == own.node.port_count;
  });
}

Fabric Builder::build() const {
  if (!has_nodes_of_base()) return merged();
  const auto same_ends = [this](const Entry& own) {
    const std::span<const Port> was = base_->ports(*base_->find(own.node.guid));
    for (std::size_t p = 0; p < was.size(); ++p) {
      const bool is_end = own.node.type != NodeType::switch_;
      if (was[p].guid != own.ports[p].guid) return false;
      if (is_end && was[p].peer.has_value() != own.peers[p].has_value()) return false;
    }
    return true;
  };
  return std::ranges::all_of(nodes_, same_ends) ? patched() : merged();
}

/// The base with what has changed of nodes that are all there, and have the same end ports.
Fabric Builder::patched() const {
  Fabric fabric = *base_;
  for (const Entry& own : nodes_) {
    const NodeId id = *base_->find(own.node.guid);
    const std::uint32_t first = base_->node(id).first_port;
    fabric.nodes_[raw(id)] = own.node;
    fabric.nodes_[raw(id)].first_port = first;
    for (std::size_t p = 0; p < own.ports.size(); ++p) {
      Port& port = fabric.ports_[first + p];
      port = own.ports[p];
      if (own.peers[p]) port.peer = PortRef{*base_->find(own.peers[p]->guid), own.peers[p]->port};
    }
  }
  return fabric;
}

Fabric Builder::merged() const {
  std::vector<std::size_t> order(nodes_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [this](std::size_t i) { return nodes_[i].node.guid; });
  const std::span<const Node> base = base_ != nullptr ? base_->nodes() : std::span<const Node>();

  // Both by GUID: first who is who, then all of them.
  std::vector<NodeId> id_of(nodes_.size());  // by place in nodes_
  std::vector<NodeId> id_of_base(base.size());
  std::vector<bool> is_hidden(base.size());
  for (const Guid guid : hidden_) is_hidden[raw(*base_->find(guid))] = true;
  std::uint32_t count = 0;
  const auto merge = [&](const auto& take_own, const auto& take_base) {
    auto own = order.begin();
    for (std::size_t n = 0; n < base.size(); ++n) {
      for (; own != order.end() && nodes_[*own].node.guid < base[n].guid; ++own) take_own(*own);
      if (!is_hidden[n]) take_base(n);
    }
    for (; own != order.end(); ++own) take_own(*own);
  };
  merge([&](std::size_t i) { id_of[i] = static_cast<NodeId>(count++); },
        [&](std::size_t n) { id_of_base[n] = static_cast<NodeId>(count++); });
  for (std::size_t i = 0; i < nodes_.size() && base_ != nullptr; ++i)
    if (const auto was = base_->find(nodes_[i].node.guid)) id_of_base[raw(*was)] = id_of[i];
  const auto id = [&](Guid guid) {
    const auto own = index_.find(guid);
    return own != index_.end() ? id_of[own->second] : id_of_base[raw(*base_->find(guid))];
  };

  Fabric fabric;
  fabric.nodes_.reserve(count);
  fabric.switch_ids_.resize(count);
  const auto add_port = [&fabric](const Node& node, std::size_t number, Port port) {
    const PortRef ref{static_cast<NodeId>(fabric.nodes_.size()), static_cast<PortNum>(number)};
    const bool is_switch = node.type == NodeType::switch_;
    if (is_switch ? number == 0 : port.peer.has_value()) fabric.end_ports_.push_back(ref);
    if (port.guid != Guid{}) fabric.port_guids_.emplace_back(port.guid, ref);
    fabric.ports_.push_back(std::move(port));
  };
  const auto add_node = [&fabric](Node node, std::uint32_t first_port) {
    const auto here = static_cast<NodeId>(fabric.nodes_.size());
    node.first_port = first_port;
    if (node.type == NodeType::switch_) {
      fabric.switch_ids_[raw(here)] = static_cast<SwitchId>(fabric.switches_.size());
      fabric.switches_.push_back(here);
    }
    fabric.nodes_.push_back(std::move(node));
  };
  merge(
      [&](std::size_t i) {
        const Entry& own = nodes_[i];
        const auto first = static_cast<std::uint32_t>(fabric.ports_.size());
        for (std::size_t p = 0; p < own.ports.size(); ++p) {
          Port port = own.ports[p];
          if (own.peers[p]) port.peer = PortRef{id(own.peers[p]->guid), own.peers[p]->port};
          add_port(own.node, p, std::move(port));
        }
        add_node(own.node, first);
      },
      [&](std::size_t n) {
        const auto first = static_cast<std::uint32_t>(fabric.ports_.size());
        const std::span<const Port> ports = base_->ports(static_cast<NodeId>(n));
        for (std::size_t p = 0; p < ports.size(); ++p) {
          Port port = ports[p];
          if (port.peer) port.peer->node = id_of_base[raw(port.peer->node)];
          add_port(base[n], p, std::move(port));
        }
        add_node(base[n], first);
      });

  const auto sort = [&fabric] {
    if (!std::ranges::is_sorted(fabric.port_guids_)) std::ranges::sort(fabric.port_guids_);
  };
  sort();
  std::vector<std::pair<Guid, PortRef>> extra;  // switches whose port 0 has a GUID of its own, or none told
  for (const NodeId switch_id : fabric.switches_)
    if (const Guid guid = fabric.node(switch_id).guid; !fabric.find_port(guid))
      extra.emplace_back(guid, PortRef{switch_id, PortNum{0}});
  fabric.port_guids_.insert(fabric.port_guids_.end(), extra.begin(), extra.end());
  sort();
  return fabric;
}

Builder builder_of(const Fabric& fabric, const std::set<Guid>& without_links) {
  Builder builder;
  builder.base_ = &fabric;
  for (const Guid guid : without_links) {
    if (!builder.has_node(guid)) continue;
    for (std::size_t p = 1; p <= builder.node(guid).port_count; ++p) {
      const auto peer = std::exchange(builder.entry(guid).peers[p], std::nullopt);
      if (peer) builder.entry(peer->guid).peers[raw(peer->port)].reset();
    }
  }
  return builder;
}

}  // namespace weft::fabric
