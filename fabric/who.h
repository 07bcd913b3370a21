#pragma once
// Who: end ports as people mean them in policies, by name, kind, place or GUID, and the ports of a Fabric
// that they are.

#include <string_view>
#include <vector>

#include "fabric/fabric.h"

namespace weft::fabric {

/// Whom a line means.
struct Who {
  enum class Kind : std::uint8_t {
    all,       ///< Every end port.
    hosts,     ///< Ports of channel adapters,
    switches,  ///< ports 0 of switches,
    routers,   ///< ports of routers.
    name,      ///< Nodes by name or glob (base/words.h): all their end ports.
    port,      ///< That port of the nodes with that name, glob or GUID; of a switch: what hangs there.
    guid,  ///< One port, or all end ports of the node with that GUID; with `last` all ports in that range.
    self,  ///< The subnet manager's own port.
  };
  Kind kind = Kind::all;
  Guid guid{};
  Guid last{};  ///< Of a range of port GUIDs.
  std::string name;
  PortNum port{};
  bool operator==(const Who&) const = default;
};

/// Finds the end ports that a policy's lines mean. Built once for a fabric: O(nodes log nodes). The fabric
/// must stay.
class Finder {
 public:
  Finder(const Fabric& fabric, PortRef self);

  /// Indices into Fabric::end_ports(), each once, in no order. Cost: O(what is found + log nodes) where the
  /// name begins without a wildcard.
  std::vector<std::uint32_t> find(const Who& who) const;

 private:
  struct Named {
    std::string name;  // in small letters
    NodeId node;
  };
  void add_node(NodeId node, std::vector<std::uint32_t>& found) const;
  void add_port(PortRef port, std::vector<std::uint32_t>& found) const;
  std::vector<NodeId> nodes_named(std::string_view pattern) const;
  std::vector<std::uint32_t> at_port(const Who& who) const;

  const Fabric& fabric_;
  PortRef self_;
  std::vector<Named> names_;              // by name
  std::vector<std::uint32_t> first_end_;  // by NodeId: where its end ports begin
};

/// How special a way of meaning a port is: a GUID says more than a name, a name more than "hosts".
int specificity(Who::Kind kind);

/// As people write it: "0x0002c90300000001", "node h0*", "port 7 of leaf-3", "hosts".
std::string describe(const Who& who);

}  // namespace weft::fabric
