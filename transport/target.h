#pragma once
// target_by: the node at the end of a way, as SmpClient asks for it.

#include <optional>
#include <vector>

#include "transport/smp_client.h"

namespace weft::transport {

/// The node that these ports lead to, one to leave by at each hop from our own node on. Nothing without a
/// way: an empty route is our own node, so what is meant for another must never get one.
inline std::optional<Target> target_by(Guid node, const std::optional<std::vector<PortNum>>& ports) {
  if (!ports) return std::nullopt;
  return Target{node, mad::DirectedRoute(*ports)};
}

}  // namespace weft::transport
