#pragma once
// Dense numbers of the simulator's nodes and ports, in the order of the topology it was built from.

#include <cstdint>

#include "base/ids.h"

namespace weft::sim {

enum class NodeIndex : std::uint32_t {};
/// Over all nodes; a node's ports follow one another, number 0 first (on HCAs number 0 is only a gap).
enum class PortIndex : std::uint32_t {};

inline constexpr PortIndex kNoPort{0xffffffff};

}  // namespace weft::sim
