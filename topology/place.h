#pragma once
// Place: which part of a Topology is wrong, for readers that know the line it came from.

#include <cstddef>

#include "topology/topology.h"

namespace weft::topology {

struct Place {
  enum class What { whole, node, cable };
  What what = What::whole;
  std::size_t index = 0;  ///< Of the node or cable.
};

/// validate() of topology.h; after an error `place` tells where it is.
Result<void> validate(const Topology& topology, Place& place);

}  // namespace weft::topology
