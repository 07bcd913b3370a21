#pragma once
// Fabrics for tests: what discovery would find of a topology, and changed copies of a Fabric.

#include <cstdint>
#include <string_view>

#include "fabric/builder.h"
#include "fabric/fabric.h"
#include "topology/topology.h"

namespace weft::test {

/// All nodes, ports and cables, freshly booted: linked ports in Init, no LIDs, capable of MTU 4096 and 8 VLs.
fabric::Fabric fabric_of(const topology::Topology& topology);
/// Likewise from a blueprint such as "fat-tree:radix=12,levels=3", which must be a good one.
fabric::Fabric fabric_of(std::string_view blueprint);

topology::Topology topology_of(std::string_view blueprint);
/// The same topology, its nodes and cables told in another order.
topology::Topology shuffled(const topology::Topology& topology, std::uint32_t seed);

/// To change a Fabric: a builder that has all of it.
fabric::Builder builder_from(const fabric::Fabric& fabric);
/// The same without a node and its links.
fabric::Fabric without_node(const fabric::Fabric& fabric, Guid node);
/// The same without the link of a port.
fabric::Fabric without_link(const fabric::Fabric& fabric, fabric::PortRef port);

}  // namespace weft::test
