#pragma once
// NodeInfo and NodeDescription: what a node is. Source: IBTA vol. 1, 14.2.5.2 and 14.2.5.3.

#include "base/link.h"
#include "mad/attribute_id.h"
#include "mad/layout.h"

namespace weft::mad {

struct NodeInfo {
  std::uint8_t base_version = 1;
  std::uint8_t class_version = 1;
  NodeType type{};
  std::uint8_t port_count = 0;  ///< Without port 0.
  Guid system_guid{};
  Guid node_guid{};
  Guid port_guid{};  ///< Of the port asked; for a switch, of port 0.
  std::uint16_t partition_cap = 0;
  std::uint16_t device = 0;
  std::uint32_t revision = 0;
  PortNum local_port{};  ///< Where the request came in.
  std::uint32_t vendor = 0;
  bool operator==(const NodeInfo&) const = default;
};
template <>
inline constexpr auto kLayout<NodeInfo> = std::tuple{Field{0, 8, &NodeInfo::base_version, "BaseVersion"},
                                                     Field{8, 8, &NodeInfo::class_version, "ClassVersion"},
                                                     Field{16, 8, &NodeInfo::type, "NodeType"},
                                                     Field{24, 8, &NodeInfo::port_count, "NumPorts"},
                                                     Field{32, 64, &NodeInfo::system_guid, "SystemImageGUID"},
                                                     Field{96, 64, &NodeInfo::node_guid, "NodeGUID"},
                                                     Field{160, 64, &NodeInfo::port_guid, "PortGUID"},
                                                     Field{224, 16, &NodeInfo::partition_cap, "PartitionCap"},
                                                     Field{240, 16, &NodeInfo::device, "DeviceID"},
                                                     Field{256, 32, &NodeInfo::revision, "Revision"},
                                                     Field{288, 8, &NodeInfo::local_port, "LocalPortNum"},
                                                     Field{296, 24, &NodeInfo::vendor, "VendorID"}};
static_assert(in_order<NodeInfo>());

struct NodeDescription {
  std::string text;  ///< UTF-8, at most 64 bytes.
  bool operator==(const NodeDescription&) const = default;
};
template <>
inline constexpr auto kLayout<NodeDescription> =
    std::tuple{TextField{0, 512, &NodeDescription::text, "NodeString"}};
static_assert(in_order<NodeDescription>());

}  // namespace weft::mad
