#pragma once
// Summary: a Fabric in a few numbers, for status, logs and metrics.

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "fabric/fabric.h"

namespace weft::fabric {

struct Summary {
  std::size_t switches = 0;
  std::size_t hosts = 0;  ///< HCAs.
  std::size_t routers = 0;
  std::size_t links = 0;
  /// By the lower state of the two ends, so that `active` means active at both.
  std::map<PortState, std::size_t> links_by_state;
  std::map<std::pair<LinkSpeed, LinkWidth>, std::size_t> links_by_rate;
  std::map<PortState, std::size_t> ports_by_state;  ///< External ports that are known.
  bool operator==(const Summary&) const = default;

  bool all_active() const { return links_in(PortState::active) == links; }
  std::size_t links_in(PortState state) const {
    const auto found = links_by_state.find(state);
    return found != links_by_state.end() ? found->second : 0;
  }
};

/// Cost: O(nodes + ports).
Summary summarize(const Fabric& fabric);

/// "2 switches, 4 hosts, 0 routers, 5 links: 4 active, 1 init; 5 at 4x HDR".
std::string to_string(const Summary& summary);

}  // namespace weft::fabric
