#pragma once
// Fabric: the subnet as found at one moment. Nodes stand in GUID order, so NodeId and SwitchId are dense,
// equal subnets are equal values whatever the order of discovery, and ties broken by id are ties broken by
// GUID. Made by Builder (fabric/builder.h) and const from then on.
//
// It holds what planners need to decide, decoded; the raw images of what devices hold are in mad::Shadow.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/link.h"

namespace weft::fabric {

struct PortRef {
  NodeId node{};
  PortNum port{};
  auto operator<=>(const PortRef&) const = default;
};

/// One port. Switches have port 0 (management) beside the external ones; HCAs and routers start at 1.
struct Port {
  Guid guid{};  ///< Of HCA and router ports and of switch port 0; 0 on a switch's external ports.
  std::optional<PortRef> peer;
  PortState state = PortState::down;
  PhysState phys = PhysState::polling;
  Lid lid{};     ///< As found; external switch ports have none.
  Lid sm_lid{};  ///< MasterSMLID as found.
  std::uint8_t lmc = 0;
  Mtu mtu_cap = Mtu::none;
  Mtu neighbor_mtu = Mtu::none;
  VlCount vl_cap = VlCount::none;
  VlCount operational_vls = VlCount::none;
  LinkWidth width = LinkWidth::none;    ///< Active.
  LinkWidth widest = LinkWidth::none;   ///< Best supported.
  LinkSpeed speed = LinkSpeed::none;    ///< Active, extended speeds included.
  LinkSpeed fastest = LinkSpeed::none;  ///< Best supported.
  std::uint32_t capabilities = 0;       ///< CapabilityMask; end ports only.
  std::uint8_t arb_high_cap = 0;        ///< Entries of its VL arbitration tables, at most 64; 0: it has none.
  std::uint8_t arb_low_cap = 0;
  bool known = false;  ///< False: its PortInfo was never read (an HCA port seen by name only).
  bool operator==(const Port&) const = default;
};

/// What a switch can hold. Source: IBTA vol. 1, 14.2.5.4 (SwitchInfo).
struct SwitchFacts {
  std::uint16_t lft_capacity = 0;  ///< LinearFDBCap: number of LIDs, so the highest usable LID is one less.
  std::uint16_t mft_capacity = 0;
  bool enhanced_port0 = false;
  bool optimized_sl_to_vl = false;   ///< One Set can fill rows and columns of SL2VL.
  std::uint16_t enforced_pkeys = 0;  ///< PartitionEnforcementCap: P_Keys that each external port can check.
  bool enforces_in = false;          ///< Can check what comes in by a port,
  bool enforces_out = false;         ///< and what goes out.
  bool operator==(const SwitchFacts&) const = default;
};

struct Node {
  Guid guid{};
  Guid system_guid{};
  NodeType type = NodeType::hca;
  std::uint8_t port_count = 0;  ///< External ports.
  std::uint32_t vendor = 0;
  std::uint16_t device = 0;
  std::uint32_t revision = 0;
  std::uint16_t pkey_capacity = 0;  ///< PartitionCap: P_Keys that each of its end ports holds.
  std::string description;          ///< NodeDescription, or the configured name where there is one.
  SwitchFacts switch_facts;         ///< Meaningful for switches.
  std::uint32_t first_port = 0;     ///< Index of this node's port 0 in Fabric::ports().
  bool operator==(const Node&) const = default;
};

class Fabric {
 public:
  std::size_t node_count() const { return nodes_.size(); }
  std::size_t switch_count() const { return switches_.size(); }
  std::size_t host_count() const { return nodes_.size() - switches_.size(); }

  std::span<const Node> nodes() const { return nodes_; }
  const Node& node(NodeId id) const { return nodes_[raw(id)]; }
  const Node& node(SwitchId id) const { return nodes_[raw(switches_[raw(id)])]; }

  /// NodeId of each switch, indexed by SwitchId.
  std::span<const NodeId> switches() const { return switches_; }
  NodeId node_of(SwitchId id) const { return switches_[raw(id)]; }
  /// Nothing for a node that is no switch.
  std::optional<SwitchId> switch_of(NodeId id) const;
  bool is_switch(NodeId id) const { return node(id).type == NodeType::switch_; }

  /// Ports of a node indexed by port number, 0 included (unused on HCAs and routers).
  std::span<const Port> ports(NodeId id) const {
    const Node& n = node(id);
    return {ports_.data() + n.first_port, static_cast<std::size_t>(n.port_count) + 1};
  }
  std::span<const Port> ports(SwitchId id) const { return ports(node_of(id)); }
  const Port& port(PortRef ref) const { return ports(ref.node)[raw(ref.port)]; }

  /// Cost of the look-ups: O(log nodes).
  std::optional<NodeId> find(Guid node_guid) const;
  /// By port GUID; a switch's node GUID finds its port 0, unless it is the GUID of another port. Of two ports
  /// that claim one GUID, the one of the lower PortRef.
  std::optional<PortRef> find_port(Guid port_guid) const;

  /// Ports that carry a LID of their own: port 0 of every switch, and each linked port of HCAs and routers.
  /// In order of NodeId, then port.
  std::span<const PortRef> end_ports() const { return end_ports_; }

  /// The same subnet with some ports as given; their peers stay.
  Fabric with(std::span<const std::pair<PortRef, Port>> ports) const;

  bool operator==(const Fabric&) const = default;

 private:
  friend class Builder;
  std::vector<Node> nodes_;
  std::vector<Port> ports_;
  std::vector<NodeId> switches_;
  std::vector<SwitchId> switch_ids_;  // by NodeId; 0, without meaning, for others
  std::vector<PortRef> end_ports_;
  std::vector<std::pair<Guid, PortRef>> port_guids_;  // sorted
};

/// "0x0002c90300fe1234 (leaf-12)", as every message names a node.
std::string describe(const Node& node);
/// "0x0002c90300fe1234 (leaf-12) port 7".
std::string describe(const Fabric& fabric, PortRef port);

}  // namespace weft::fabric
