#pragma once
// Adaptive routing in a switch: what it can do, what it holds, and which ports its tables allow. Which of
// them a packet takes is forwarding's choice, or a judge's, who walks them all.
//
// One group table for all private tables ("global groups"). With AR enabled the AR forwarding tables alone
// say where a LID goes; without it, the ordinary table does.

#include <cstdint>
#include <optional>
#include <vector>

#include "mad/adaptive_routing.h"
#include "sim/ids.h"

namespace weft::sim {

class World;

/// What a switch can do; by default nothing.
struct ArProfile {
  bool offered = false;
  std::uint16_t elements = 4096;  ///< Of the group table: GroupCap is this by the sub-groups in use.
  std::uint8_t sub_groups = 2;    ///< The most a group can have.
  std::uint8_t plfts = 1;         ///< Private tables; 1: none but the first.
  bool group_copy = true;
  bool by_sl = true;
  bool by_transport = true;
  bool fast_recovery = true;
  bool notifications = false;  ///< ARN and FRN.
  bool hbf = false;            ///< Hash-based forwarding, with weights.
  bool pfrn = false;
  bool lft_write_disables = false;  ///< As old switches do: a Set of the ordinary table switches AR off.
};

/// What a switch holds.
struct Adaptive {
  mad::ArInfo info;
  mad::PlftInfo plft_info;
  std::vector<mad::PortMask> elements;             ///< [group * sub-groups + sub-group]; grows as written.
  std::vector<std::vector<std::uint32_t>> tables;  ///< [pLFT][LID], packed mad::ArLftEntry; grow as written.
};

/// A blank switch of this kind.
Adaptive adaptive_at_reset(const ArProfile& profile);
/// Sub-groups in use; at least 1.
std::size_t sub_groups(const mad::ArInfo& info);
/// Groups there are with so many sub-groups in use.
std::uint16_t group_capacity(const ArProfile& profile, std::size_t sub_groups);

/// Where a switch may send a LID.
struct AdaptiveExits {
  mad::ArLidState state = mad::ArLidState::fixed;
  PortNum fixed = kPortDrop;  ///< The static port; kPortDrop: nowhere.
  std::uint16_t group = 0;
  mad::PortMask ports;  ///< All ports of the group; empty in the state `fixed`.
};

/// Nothing when AR is off at this switch: then the ordinary table counts. A service level that does not adapt
/// keeps to the static ports. `in` is
/// the arrival port, 0 for what the switch itself sends. A LID without an entry goes nowhere.
std::optional<AdaptiveExits> adaptive_exits(const World& world, NodeIndex sw, PortNum in, Sl sl, Lid lid);
/// Ports of one sub-group.
mad::PortMask group_ports(const Adaptive& adaptive, std::size_t group, std::size_t sub_group);
/// The private table that a packet is looked up in.
std::uint8_t plft_for(const World& world, NodeIndex sw, PortNum in, Sl sl);

}  // namespace weft::sim
