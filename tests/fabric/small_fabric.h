#pragma once
// Fabrics for tests, written in one line: nodes by GUID, then links as {guid, port, guid, port}.

#include <initializer_list>
#include <stdexcept>

#include "fabric/builder.h"

namespace weft::fabric {

inline Node make_node(NodeType type, std::uint64_t guid, int ports, std::string description) {
  Node node;
  node.guid = Guid{guid};
  node.type = type;
  node.port_count = static_cast<std::uint8_t>(ports);
  node.description = std::move(description);
  return node;
}
inline Node make_switch(std::uint64_t guid, int ports = 8) {
  return make_node(NodeType::switch_, guid, ports, "switch-" + std::to_string(guid));
}
inline Node make_host(std::uint64_t guid, int ports = 1) {
  return make_node(NodeType::hca, guid, ports, "host-" + std::to_string(guid));
}

struct Cable {
  std::uint64_t a = 0;
  int a_port = 0;
  std::uint64_t b = 0;
  int b_port = 0;
};

inline void must(const Result<void>& result) {
  if (!result) throw std::runtime_error(result.error().what);
}

/// A port that is up: Active, 4x HDR.
inline Port up() {
  Port port;
  port.state = PortState::active;
  port.phys = PhysState::link_up;
  port.width = LinkWidth::x4;
  port.speed = LinkSpeed::hdr;
  port.known = true;
  return port;
}

/// A builder with these nodes and cables; both ends of every cable are up().
template <typename Nodes, typename Cables>
Builder make_builder(const Nodes& nodes, const Cables& cables) {
  Builder builder;
  for (const Node& node : nodes) must(builder.add_node(node));
  for (const Cable& cable : cables) {
    must(builder.set_port(Guid{cable.a}, static_cast<PortNum>(cable.a_port), up()));
    must(builder.set_port(Guid{cable.b}, static_cast<PortNum>(cable.b_port), up()));
    must(builder.connect({Guid{cable.a}, static_cast<PortNum>(cable.a_port)},
                         {Guid{cable.b}, static_cast<PortNum>(cable.b_port)}));
  }
  return builder;
}
inline Fabric make_fabric(std::initializer_list<Node> nodes, std::initializer_list<Cable> cables) {
  return make_builder(nodes, cables).build();
}

}  // namespace weft::fabric
