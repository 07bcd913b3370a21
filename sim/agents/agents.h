#pragma once
// Agents: what a node answers about itself. One file for each family of attributes; a new attribute is one
// function and one line in the table in agents.cpp.
//
// A handler fills `data` with what the node holds, after it has taken over what a Set asks for. A refused Set
// changes nothing, and its data comes back as it was sent. Order of refusal: version (0x04), method (0x08),
// attribute (0x0c), then modifier and fields (0x1c). Source: IBTA vol. 1, 13.4.7 and 14.2.

#include "mad/smp.h"
#include "sim/world.h"

namespace weft::sim {

/// One request at one node.
struct Call {
  World& world;
  NodeIndex node;
  PortIndex arrival;  ///< For a switch: port 0 when it was asked by itself.
  bool set = false;
  std::uint32_t modifier = 0;
  mad::AttrData& data;

  const Node& self() const { return world.node(node); }
  bool at_switch() const { return world.is_switch(node); }
  /// The port that an attribute of the whole node, or of its only addressable port, is about.
  PortIndex own_port() const { return at_switch() ? self().first_port : arrival; }
};

/// Answers a Get or Set of subnet management in place: method, status, data. Counts it.
void answer(World& world, PortIndex arrival, mad::Smp& smp);

// The handlers, by file.
mad::Status node_info(Call& call);
mad::Status node_description(Call& call);
mad::Status switch_info(Call& call);
mad::Status switch_port_state(Call& call);
mad::Status port_info(Call& call);
mad::Status guid_info(Call& call);
mad::Status pkey_table(Call& call);
mad::Status sl_to_vl(Call& call);
mad::Status vl_arbitration(Call& call);
mad::Status linear_forwarding(Call& call);
mad::Status multicast_forwarding(Call& call);

}  // namespace weft::sim
