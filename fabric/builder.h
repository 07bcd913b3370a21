#pragma once
// Builder: collects nodes, ports and links in any order, refuses what cannot be, and makes a Fabric of the
// rest.

#include <set>
#include <unordered_map>
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
  bool has_node(Guid guid) const { return index_.contains(guid); }
  /// The node as added; `guid` must be known.
  const Node& node(Guid guid) const { return nodes_[index_.at(guid)].node; }
  void set_description(Guid guid, std::string description);
  void set_switch_facts(Guid guid, SwitchFacts facts);

  /// Sets all of a port but its peer. Errors: `not_found`, `invalid` (no such port).
  Result<void> set_port(Guid guid, PortNum number, Port port);
  /// The port as set so far; node and number must exist.
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

  Fabric build() const;

 private:
  struct Entry {
    Node node;
    std::vector<Port> ports;                // by port number, 0 included
    std::vector<std::optional<End>> peers;  // likewise
  };
  Result<void> must_have(End end) const;

  std::vector<Entry> nodes_;
  std::unordered_map<Guid, std::size_t> index_;
};

/// A Builder with all of a Fabric, but for the links of these nodes. Cost: O(ports).
Builder builder_of(const Fabric& fabric, const std::set<Guid>& without_links = {});

}  // namespace weft::fabric
