#pragma once
// Probe: a data packet, to ask the fabric as it is programmed: does h1 reach h7 in partition 0x8010 on SL 3
// with 4096 bytes; and where, and why, does it not. It takes what a data packet takes: port states,
// forwarding tables or adaptive-routing groups, SL2VL, partition enforcement, MTU; unicast or to a multicast
// group. No time passes.

#include <string>
#include <vector>

#include "sim/forward.h"

namespace weft::sim {

struct Probe {
  PortIndex from = kNoPort;  ///< An HCA's port, or a switch's port 0.
  Lid to{};                  ///< Unicast or multicast.
  Pkey pkey{0xffff};         ///< As the sender's table has it, membership bit included.
  Sl sl{};
  int bytes = 256;  ///< Payload.
};

struct ProbeHop {
  PortIndex out;
  PortIndex in;
  Vl vl;
};

struct Probed {
  Drop drop = Drop::none;  ///< Unicast: why it did not arrive. Multicast: of the first branch that broke off.
  PortIndex at = kNoPort;  ///< Where.
  std::vector<ProbeHop> hops;
  std::vector<PortIndex> arrived;
  bool delivered() const { return drop == Drop::none && !arrived.empty(); }
};

/// Sends one packet. An adaptive switch chooses by the World's seed. A refused P_Key is counted, and told by
/// a trap, as a real packet's would be.
Probed send_probe(World& world, const Probe& probe);

/// "h1[1] > s0[2] VL1 > s1[3] > h7[1]", with the reason at the end when it was dropped.
std::string describe(const World& world, const Probed& probed);

/// What can become of a unicast packet over all choices that adaptive switches have: a line for every place
/// where some choice breaks off or goes in a circle; nothing when all choices arrive. Counts no violations.
std::vector<std::string> probe_every_way(const World& world, const Probe& probe);

}  // namespace weft::sim
