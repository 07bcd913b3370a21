#pragma once
// Turns: from which port to which packets can pass a switch by the planned tables. SL2VL of other pairs
// matters to nobody, and is the larger part of all where every pair costs a Set. Pure.

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routing/routes.h"

namespace weft::plan {

class Turns {
 public:
  /// A turn between trunks counts with its reverse, and so does every turn from or to a host or port 0. For
  /// tables that need no lanes: where they do, multicast trees may turn where unicast does not, so that every
  /// pair counts. Cost: O(switches * LIDs).
  Turns(const fabric::Fabric& fabric, const routing::Routes& routes,
        std::span<const routing::Destination> destinations);

  bool used(SwitchId at, std::size_t in, std::size_t out) const {
    return bits_[first_[raw(at)] + in * width_[raw(at)] + out] != 0;
  }

 private:
  void mark_unicast(const fabric::Fabric& fabric, const routing::Routes& routes,
                    std::span<const routing::Destination> destinations);
  void mark_edges(const fabric::Fabric& fabric);

  std::vector<std::size_t> first_;  // by switch
  std::vector<std::size_t> width_;
  std::vector<std::uint8_t> bits_;
};

}  // namespace weft::plan
