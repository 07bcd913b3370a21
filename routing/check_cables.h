#pragma once
// CheckCables: the fabric as the check sees it, read by itself: what is behind each port, what hangs
// together, and who talks. Engines have their own SwitchGraph; nothing is shared with them.

#include <cstdint>
#include <vector>

#include "routing/routes.h"

namespace weft::routing {

struct CheckCables {
  // Codes in place of a neighbour's index.
  static constexpr std::uint16_t kEnd = 0xffff;   ///< An end port: a host's, or the switch's own port 0.
  static constexpr std::uint16_t kDead = 0xfffe;  ///< No such port, or no link.
  static constexpr std::uint16_t kLastIndex = 0xfff0;

  explicit CheckCables(const Problem& problem);

  std::uint16_t peer(std::uint32_t s, std::uint8_t port) const {
    return port < width ? peers[s * width + port] : kDead;
  }
  /// End ports at `s` whose packets to this destination count.
  std::uint32_t sources(std::uint32_t s, const Destination& to) const {
    if (!to.is_peer()) return hosts[s] + runs_sm[s];
    return hosts[s] + (s == raw(to.at) ? 0U : 1U);  // all but itself
  }

  std::uint32_t count = 0;           ///< Switches.
  std::uint32_t width = 0;           ///< Port slots of the widest switch, 0 included.
  std::vector<std::uint16_t> peers;  ///< [switch * width + port]: switch behind it, kEnd or kDead.
  std::vector<std::uint8_t> far;     ///< Likewise: the port at the other end of a link between switches.
  std::vector<std::uint32_t> part;   ///< By switch: one switch of its connected part.
  bool one_part = true;
  std::vector<std::uint32_t> hosts;      ///< By switch.
  std::vector<std::uint8_t> runs_sm;     ///< By switch.
  std::vector<std::uint32_t> all;        ///< Every switch.
  std::vector<std::uint32_t> talkers;    ///< Those with hosts or an SM.
  std::vector<std::uint64_t> to_peer;    ///< By part: end ports that talk to a host, switches included.
  std::vector<std::uint64_t> to_switch;  ///< By part: end ports that talk to a plain switch.

 private:
  void read_links(const fabric::Fabric& fabric);
  void find_parts();
  void count_sources(const Problem& problem);
};

}  // namespace weft::routing
