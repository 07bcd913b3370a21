#pragma once
// Who: from a policy's words to ports of a Fabric.

#include <string_view>
#include <vector>

#include "fabric/fabric.h"
#include "partitions/policy.h"

namespace weft::partitions {

/// Finds the end ports that a policy's lines mean. Built once for a fabric: O(nodes log nodes). The fabric
/// must stay.
class Finder {
 public:
  Finder(const fabric::Fabric& fabric, fabric::PortRef self);

  /// Indices into Fabric::end_ports(), each once, in no order. Cost: O(what is found + log nodes) where the
  /// name begins without a wildcard.
  std::vector<std::uint32_t> find(const Who& who) const;

 private:
  struct Named {
    std::string name;  // in small letters
    NodeId node;
  };
  void add_node(NodeId node, std::vector<std::uint32_t>& found) const;
  void add_port(fabric::PortRef port, std::vector<std::uint32_t>& found) const;
  std::vector<NodeId> nodes_named(std::string_view pattern) const;
  std::vector<std::uint32_t> at_port(const Who& who) const;

  const fabric::Fabric& fabric_;
  fabric::PortRef self_;
  std::vector<Named> names_;              // by name
  std::vector<std::uint32_t> first_end_;  // by NodeId: where its end ports begin
};

/// How special a way of meaning a port is: a GUID says more than a name, a name more than "hosts".
int specificity(Who::Kind kind);

/// As people write it: "0x0002c90300000001", "node h0*", "port 7 of leaf-3", "hosts".
std::string describe(const Who& who);

}  // namespace weft::partitions
