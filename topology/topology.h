#pragma once
// Topology: cabling as plain data, before anything is discovered or configured. What blueprints make, what
// files are read into and written from, and what the simulator is built of.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/link.h"
#include "base/result.h"

namespace weft::topology {

/// Where a cable ends: index into Topology::nodes, and a port number from 1 on.
struct End {
  std::uint32_t node = 0;
  PortNum port{};
  auto operator<=>(const End&) const = default;
};

struct Node {
  NodeType type = NodeType::hca;
  std::string id;           ///< Short and unique, without blanks: "h00012", "L1-00-03".
  std::string description;  ///< NodeDescription, at most 63 bytes.
  Guid guid{};
  Guid system_guid{};
  std::vector<Guid> port_guids;  ///< HCAs and routers: by port number - 1. Switches: one, port 0's.
  std::uint8_t port_count = 0;
  std::uint32_t vendor = 0x2c9;
  std::uint16_t device = 0;
  bool enhanced_port0 = false;
  bool operator==(const Node&) const = default;
};

struct Cable {
  End a;
  End b;
  LinkWidth width = LinkWidth::x4;
  LinkSpeed speed = LinkSpeed::hdr;
  bool operator==(const Cable&) const = default;
};

struct Topology {
  std::string name;  ///< Blueprint or file it came from.
  std::vector<Node> nodes;
  std::vector<Cable> cables;
  bool operator==(const Topology&) const = default;
};

/// Brings cables into the one order that all readers and makers give them: each with its lower end first,
/// then by that end. So two topologies that describe the same cabling are equal.
void sort_cables(Topology& topology);

/// Refuses what cannot be cabled: unknown node or port, a port used twice, a port to itself, two nodes with
/// one id or GUID, more ports than a node can have. Errors: `invalid` or `conflict`, naming node and port.
Result<void> validate(const Topology& topology);

}  // namespace weft::topology
