#pragma once
// Agents: what a node answers about itself. One file for each family of attributes; a new attribute is one
// function and one line in the table in agents.cpp.
//
// An M_Key that guards the node comes before all that (m_key.cpp): who lacks it gets no answer.
//
// A handler fills `data` with what the node holds, after it has taken over what a Set asks for. A refused Set
// changes nothing, and its data comes back as it was sent. Order of refusal: version (0x04), method (0x08),
// attribute (0x0c), then modifier and fields (0x1c). Source: IBTA vol. 1, 13.4.7 and 14.2.

#include <span>

#include "mad/smp.h"
#include "sim/world.h"

namespace weft::sim {

/// One request at one node.
struct Call {
  World& world;
  NodeIndex node;
  PortIndex arrival;  ///< For a switch: port 0 when it was asked by itself.
  bool set = false;
  mad::AttrId attribute{};
  std::uint32_t modifier = 0;
  std::uint64_t m_key = 0;  ///< As the asker gave it.
  mad::AttrData& data;

  const Settings& settings() const { return world.settings(node); }
  const Node& self() const { return world.node(node); }
  bool at_switch() const { return world.is_switch(node); }
  /// The port that an attribute of the whole node, or of its only addressable port, is about.
  PortIndex own_port() const { return at_switch() ? self().first_port : arrival; }
};

/// Answers a Get or Set of subnet management in place: method, status, data. Counts it. `from` is the asker's
/// LID and `return_path` the way back of a directed route, for the trap about a bad M_Key. False: the M_Key
/// is wrong, and nothing is answered.
bool answer(World& world, PortIndex arrival, mad::Smp& smp, Lid from = kLidPermissive,
            std::span<const std::uint8_t> return_path = {});

/// The check of the M_Key alone: false, counted and told by trap 256, when the request lacks a key that it
/// needs.
bool key_opens(World& world, PortIndex arrival, const mad::Smp& smp, Lid from = kLidPermissive,
               std::span<const std::uint8_t> return_path = {});

/// Answers a request of performance management in place, its header too. Counts it.
void answer_perf(World& world, PortIndex arrival, mad::Header& header, mad::Mad& mad);

/// True when a node knows its maker's attributes: one of Mellanox, equipped with them.
bool knows_mlnx(const World& world, NodeIndex n);
/// Answers a request of Mellanox's own class (mad/mlnx_device_info.h), likewise.
void answer_mlnx(World& world, PortIndex arrival, mad::Header& header, mad::Mad& mad);

/// Keeps or tells the block `key` of a table that stands nowhere until it is written; `at_reset` until then.
mad::Status keep(Call& call, std::uint32_t key, const mad::AttrData& at_reset = {});

// The handlers, by file.
mad::Status node_info(Call& call);
mad::Status node_description(Call& call);
mad::Status switch_info(Call& call);
mad::Status switch_port_state(Call& call);
mad::Status port_info(Call& call);
mad::Status port_info_extended(Call& call);
mad::Status guid_info(Call& call);
mad::Status pkey_table(Call& call);
mad::Status sl_to_vl(Call& call);
mad::Status vl_arbitration(Call& call);
mad::Status linear_forwarding(Call& call);
mad::Status multicast_forwarding(Call& call);
mad::Status notice(Call& call);
mad::Status ext_port_info(Call& call);
mad::Status general_info(Call& call);
mad::Status ar_info(Call& call);
mad::Status ar_group_table(Call& call);
mad::Status ar_group_copy(Call& call);
mad::Status ar_lft(Call& call);
mad::Status plft_info(Call& call);
mad::Status plft_table(Call& call);
mad::Status ar_extra(Call& call);

}  // namespace weft::sim
