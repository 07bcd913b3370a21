#pragma once
// What nodes that told of a change by themselves (trap 144) say now, read without a look at anything else.

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "discovery/discover.h"

namespace weft::discovery {

/// What nodes call themselves now.
struct Descriptions {
  std::vector<std::pair<NodeId, std::string>> changed;  ///< NodeId of the Fabric that is known.
  std::vector<Guid> silent;
};

/// Reads the NodeDescriptions of these nodes; who is not known is left out. Cost: one SMP each.
asio::awaitable<Descriptions> read_descriptions(transport::SmpClient& client,
                                                std::shared_ptr<const Discovered> known,
                                                std::vector<Guid> nodes);

/// The same subnet with other descriptions. Cost: O(ports).
fabric::Fabric renamed(const fabric::Fabric& fabric,
                       std::span<const std::pair<NodeId, std::string>> descriptions);

}  // namespace weft::discovery
