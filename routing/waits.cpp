#include "routing/waits.h"

namespace weft::routing {

ChannelGraph waits_left(const Waits& old, const std::vector<Guid>& switches, const CheckCables& cables,
                        const fabric::Fabric& fabric) {
  std::vector<std::uint32_t> now_at(switches.size(), CheckCables::kDead);
  for (std::uint32_t s = 0, was = 0; s < cables.count; ++s) {
    const Guid guid = fabric.node(static_cast<SwitchId>(s)).guid;
    while (was < switches.size() && switches[was] < guid) ++was;
    if (was < switches.size() && switches[was] == guid) now_at[was] = s;
  }
  ChannelGraph left(cables.peers, cables.width, old.lanes);
  for (std::uint32_t was = 0; was < switches.size(); ++was) {
    const std::uint32_t s = now_at[was];
    if (s >= cables.count) continue;
    for (std::uint32_t port = 1; port < std::min(cables.width, old.cables.width); ++port) {
      const std::uint16_t before = old.cables.peers[was * old.cables.width + port];
      const std::uint16_t now = cables.peers[s * cables.width + port];
      // A switch that is gone is not the dead end that its links lead to.
      if (now >= cables.count || before >= switches.size() || now_at[before] != now) continue;
      for (std::uint32_t lane = 0; lane < old.lanes; ++lane)
        left.take(left.id(s, port, lane), old.channels, old.channels.id(was, port, lane));
    }
  }
  return left;
}

}  // namespace weft::routing
