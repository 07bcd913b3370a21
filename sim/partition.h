#pragma once
// Partitions: which P_Keys a port lets pass.
//
// The rule. An end port (of an HCA or router, or a switch's port 0) takes a packet when an entry of its table
// has the same low 15 bits and the packet or the entry is a full member; two limited members never meet. It
// sends with an entry of its table as it stands there. A switch's external port looks only where PortInfo
// says PartitionEnforcementInbound (for what comes in) or Outbound (for what goes out), and compares the low
// 15 bits alone: membership is for the end ports to judge, else a limited member's packets would not get
// past the switch that holds a copy of its table. 0x0000 and 0x8000 are no keys. Packets on VL 15 have none
// and are not asked about. Source: IBTA vol. 1, 10.9.1 to 10.9.4 and 9.2.

#include "sim/notices.h"
#include "sim/world.h"

namespace weft::sim {

enum class Direction : std::uint8_t { in, out };

/// Same partition, and at least one is a full member.
constexpr bool pkeys_match(Pkey a, Pkey b) {
  constexpr unsigned kPartition = 0x7fff;
  return (raw(a) & kPartition) != 0 && ((raw(a) ^ raw(b)) & kPartition) == 0 &&
         ((raw(a) | raw(b)) & 0x8000) != 0;
}

/// A port of an HCA or router, or port 0 of a switch.
bool is_end_port(const World& world, PortIndex port);

/// True when the port lets a packet with this P_Key pass.
bool partition_admits(const World& world, PortIndex port, Pkey pkey, Direction direction);

/// The P_Key at an index of an end port's table; 0 where there is none.
Pkey pkey_at(const World& world, PortIndex port, std::size_t index);

/// Where an end port's table has a P_Key that takes such packets: the same one, else the first that matches.
std::optional<std::uint16_t> pkey_index(const World& world, PortIndex port, Pkey pkey);

/// A packet was refused for its P_Key: counts it and raises trap 257 (end port) or 259 (switch).
void refuse_pkey(World& world, PortIndex port, Direction direction, const KeyViolation& packet);
/// A packet was refused for its Q_Key by an end port: counts it and raises trap 258.
void refuse_qkey(World& world, PortIndex port, const KeyViolation& packet);

}  // namespace weft::sim
