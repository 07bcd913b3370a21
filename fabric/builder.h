#pragma once
// Builder: collects nodes, ports and links in any order, refuses what cannot be, and makes a Fabric of the
// rest. One that starts from a Fabric takes out of it only the nodes that are touched, so that what little
// has changed costs little; build() then copies the rest as it stands.

#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"

namespace weft::fabric {

class Builder {
 public:
  /// Adds a node; its first_port is ignored. Errors: `conflict` when the GUID is known already; `invalid` for
  /// GUID 0, no ports, or more ports than a node can have.
  Result<void> add_node(Node node);
  /// Takes a node out again, with its links; `guid` must be known.
  void drop_node(Guid guid);
  bool has_node(Guid guid) const { return index_.contains(guid) || in_base(guid).has_value(); }
  /// The node as added; `guid` must be known.
  const Node& node(Guid guid) const;
  void set_description(Guid guid, std::string description);
  void set_switch_facts(Guid guid, SwitchFacts facts);

  /// Sets all of a port but its peer. Errors: `not_found`, `invalid` (no such port).
  Result<void> set_port(Guid guid, PortNum number, Port port);
  /// The port as set so far, its peer apart; node and number must exist.
  const Port& port(Guid guid, PortNum number) const;

  struct End {
    Guid guid{};
    PortNum port{};
    bool operator==(const End&) const = default;
  };
  /// Joins two ports. Joining the same two again is fine. Errors: `not_found`; `invalid` (no such port, port
  /// 0, a port to itself); `conflict` when one of them has another peer, named in the text.
  Result<void> connect(End a, End b);
  std::optional<End> peer(End end) const;

  /// Cost: O(ports) bytes copied, and O(log nodes) for each port of the nodes that stand in no Fabric yet.
  Fabric build() const;

 private:
  friend Builder builder_of(const Fabric& fabric, const std::set<Guid>& without_links);
  struct Entry {
    Node node;
    std::vector<Port> ports;                // by port number, 0 included
    std::vector<std::optional<End>> peers;  // likewise
  };
  Result<void> must_have(End end) const;
  std::optional<NodeId> in_base(Guid guid) const;
  Entry& entry(Guid guid);
  bool has_nodes_of_base() const;
  Fabric patched() const;
  Fabric merged() const;

  const Fabric* base_ = nullptr;     // holds the nodes that are neither in nodes_ nor dropped
  std::unordered_set<Guid> hidden_;  // nodes of base_ that are in nodes_ instead, or dropped
  std::vector<Entry> nodes_;
  std::unordered_map<Guid, std::size_t> index_;
};

/// A Builder with all of a Fabric, which must outlive it, but for the links of these nodes. Cost: O(log
/// nodes) for each port of those nodes and their neighbours.
Builder builder_of(const Fabric& fabric, const std::set<Guid>& without_links = {});
Builder builder_of(Fabric&& fabric, const std::set<Guid>& without_links = {}) = delete;

}  // namespace weft::fabric
