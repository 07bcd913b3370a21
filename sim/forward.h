#pragma once
// Forwarding: the way a packet takes through the World as it is now, and why it ends where it should not.
// Directed routes need trained links only; LID routing needs Active ports and what the switches' tables say.
// A walk changes nothing and takes no time; loss and delay are the network's (sim/network.h). Source: IBTA
// vol. 1, 14.2.2 and 18.2.4.

#include <array>
#include <span>
#include <string_view>

#include "mad/directed_route.h"
#include "sim/world.h"

namespace weft::sim {

/// Why a packet got no further.
enum class Drop : std::uint8_t {
  none,
  no_entry,           ///< The switch's table does not reach that far.
  entry_255,          ///< The table says: drop.
  above_top,          ///< Above LinearFDBTop.
  no_such_port,       ///< The table, or the route, names a port the node has not.
  port_down,          ///< Not trained; for LID routing: not Active, or its peer not even Armed.
  loop,               ///< More than 64 hops.
  not_for_this_node,  ///< Reached a port that has another LID.
  no_such_node,       ///< The LID is no unicast LID.
  not_a_switch,       ///< A directed route leads on from an HCA.
  mute,               ///< A mute node does not pass it on.
  bad_route,          ///< A directed-route header that breaks the rules.
  lost,               ///< By a seeded fault.
  bad_m_key,          ///< The agent answers nothing to those who lack the key.
  partition,          ///< Its P_Key is not let in, or out.
  no_lane,            ///< SL2VL discards it, or names a lane the port does not operate.
  too_long,           ///< Longer than the link's MTU.
  nobody,             ///< Arrived, but no one there takes it.
};
inline constexpr std::size_t kDropKinds = 18;

/// "entry 255"
std::string_view name(Drop drop);

inline constexpr int kMaxLidHops = 64;

struct Way {
  Drop drop = Drop::none;
  PortIndex end = kNoPort;  ///< Where it arrived; else the last port that saw it.
  int hops = 0;
  std::array<PortIndex, kMaxLidHops + 1> out;  ///< Ports it left by: the first `hops`.
  std::array<Vl, kMaxLidHops + 1> lane;        ///< On these lanes; of packets that go as data does only.
};

/// The port that a switch's forwarding table names for a LID; `drop` is none, or tells why there is none.
PortIndex table_exit(const World& world, NodeIndex n, Lid to, Drop& drop);

/// From an HCA port or a switch's port 0 to a LID, through the tables.
Way route_by_lid(const World& world, PortIndex from, Lid to);

/// From an HCA port or a switch's port 0 along the given exit ports. Every node on the way but the last must
/// be a switch that passes directed routes on.
Way route_directed(const World& world, PortIndex from, std::span<const PortNum> exits);

}  // namespace weft::sim
