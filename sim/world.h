#pragma once
// World: a fabric of simulated devices: what every node and port holds, and what a fault can do to them.
// Nothing moves here: packets are walked by sim/forward.h, answered by sim/agents and given time by
// sim/network.h.
//
// Kept as attributes (mad/) rather than as images, so wire order stays where it belongs. Tables grow only to
// what was written: a port costs some 130 bytes, an LFT one byte an entry up to its highest block.

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mad/blocks.h"
#include "mad/notice.h"
#include "mad/port_info.h"
#include "mad/switch_info.h"
#include "mad/tables.h"
#include "sim/adaptive.h"
#include "sim/agenda.h"
#include "sim/counters.h"
#include "sim/ids.h"
#include "sim/perf_counters.h"
#include "sim/random.h"
#include "topology/topology.h"

namespace weft::sim {

/// What the devices of a World can do, and how quick their links are.
struct Settings {
  std::uint16_t lft_capacity = 0xc000;
  std::uint16_t mft_capacity = 1024;
  Mtu mtu_cap = Mtu::mtu4096;
  VlCount vl_cap = VlCount::vl8;
  bool switch_port_state = false;    ///< Offer SwitchPortStateTable.
  bool port_info_extended = true;    ///< Offer PortInfoExtended.
  bool multicast_fdb_top = false;    ///< Offer MulticastFDBTop.
  bool optimized_sl_to_vl = false;   ///< Take SL2VL for all ports in one packet.
  bool hide_extended_speeds = true;  ///< Tell them only to those who ask with modifier bit 31.
  Duration training{};               ///< From a link's loss to Init; 0 is at once.
  std::uint16_t pkeys = 64;          ///< A port's P_Key table, on switches the external ports'.
  std::uint16_t port0_pkeys = 8;
  std::uint8_t guid_cap = 32;  ///< GUIDs of a port: its own and aliases.
  std::uint8_t port0_guid_cap = 8;
  std::uint8_t vl_arb_cap = 8;    ///< Entries of either arbitration table, at most 64.
  bool vendor_attributes = true;  ///< Mellanox devices know ExtendedPortInfo and GeneralInfo.
  ArProfile adaptive;             ///< Of Mellanox switches.
};

/// How dead a node is. The chip of a switch forwards LID-routed packets in any case.
enum class Mute : std::uint8_t {
  none,
  agent,  ///< Never answers, still passes directed routes on.
  smi,    ///< Neither answers nor passes directed routes on.
};

struct Port {
  mad::PortInfo info;  ///< local_port is unused; the extended speeds always stand here.
  Guid guid{};
  PortIndex peer = kNoPort;  ///< By cable, whether or not it is cut.
  NodeIndex node{};
  PortNum number{};
  bool cut = false;
  bool fdr10_supported = false;  ///< Told in Mellanox's ExtendedPortInfo; PortInfo shows QDR.
  bool fdr10_enabled = false;
  bool fdr10_active = false;
};

struct Switch {
  mad::SwitchInfo info;
  std::vector<PortNum> lft;                           ///< By LID; 255 beyond its end.
  std::vector<std::array<std::uint8_t, 8>> sl_to_vl;  ///< [in * (ports + 1) + out]; empty until set.
  std::unique_ptr<Adaptive> adaptive;                 ///< Null: no adaptive routing.
};

struct Node {
  std::string id;
  std::string description;
  Guid guid{};
  Guid system_guid{};
  std::uint32_t vendor = 0;
  std::uint16_t device = 0;
  NodeType type = NodeType::hca;
  std::uint8_t port_count = 0;
  bool enhanced_port0 = false;
  bool powered = true;
  Mute mute = Mute::none;
  Instant booted{};
  PortIndex first_port{};          ///< Port 0.
  std::uint32_t switch_index = 0;  ///< Into the switches; meaningless for others.
};

/// Notices that a port keeps.
inline constexpr std::size_t kMaxNotices = 8;

class World {
 public:
  /// Changes a forged answer as it pleases; false keeps it from being sent.
  using Forger = std::function<bool(mad::Smp& answer)>;
  /// Called when a switch's port went Down, or came up again.
  using LinkChanged = std::function<void(NodeIndex)>;
  /// Called with what a device has to tell; `from` is an end port.
  using Raised = std::function<void(PortIndex from, const mad::Notice& notice)>;

  World(const topology::Topology& topology, Clock& clock, std::uint64_t seed, const Settings& settings = {});
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // Looking.
  std::size_t node_count() const { return nodes_.size(); }
  std::size_t port_slots() const { return ports_.size(); }
  std::size_t switch_count() const { return switches_.size(); }
  const Node& node(NodeIndex n) const { return nodes_[raw(n)]; }
  const Port& port(PortIndex p) const { return ports_[raw(p)]; }
  Port& port(PortIndex p) { return ports_[raw(p)]; }
  bool is_switch(NodeIndex n) const { return node(n).type == NodeType::switch_; }
  /// Of a switch only.
  const Switch& switch_of(NodeIndex n) const { return switches_[node(n).switch_index]; }
  Switch& switch_of(NodeIndex n) { return switches_[node(n).switch_index]; }
  /// kNoPort when the node has no such port.
  PortIndex port_of(NodeIndex n, PortNum number) const;
  /// Those with a LID: port 0 of a switch, else all.
  std::vector<PortIndex> end_ports(NodeIndex n) const;
  /// By id, else by description. Cost: O(nodes).
  std::optional<NodeIndex> find(std::string_view id) const;
  /// The first with this node GUID, or port GUID.
  std::optional<NodeIndex> find(Guid guid) const;
  /// True when the cable is whole and both ends have trained.
  bool link_up(PortIndex p) const;
  /// True when data may pass: both ends Active.
  bool link_active(PortIndex p) const;
  /// True when data may leave by this port: it is Active, and the peer takes data, being Armed at least.
  bool carries_data(PortIndex p) const;
  /// True when the LID is the port's, path bits included.
  bool owns(PortIndex p, Lid lid) const;
  /// "L1-00[7]"
  std::string name(PortIndex p) const;
  const Settings& settings() const { return settings_; }
  /// What this node can do: its own, where it was equipped with some.
  const Settings& settings(NodeIndex n) const;
  /// Entries of the port's P_Key table.
  std::uint16_t pkey_capacity(PortIndex p) const;
  Clock& clock() { return clock_; }
  Random& random() { return random_; }
  Counters& counters() { return counters_; }
  const Counters& counters() const { return counters_; }
  /// Tables that most devices never get: P_Keys, VL arbitration, multicast. Keyed by our own modifiers
  /// (agents).
  mad::DeviceBlocks& blocks(NodeIndex n) { return blocks_[raw(n)]; }
  const mad::DeviceBlocks* find_blocks(NodeIndex n) const;

  // What ports have counted.
  PerfCounters& perf() { return perf_; }
  const PerfCounters& perf() const { return perf_; }
  /// A packet leaves by `out`.
  void count_hop(PortIndex out, std::uint64_t words) { perf_.count_hop(out, port(out).peer, words); }

  // What agents do.
  /// A packet that is no SMP has come in: an Armed port becomes Active.
  void data_arrived(PortIndex p);
  /// Tells the network's traps, if there are any.
  void raise(PortIndex from, const mad::Notice& notice) {
    if (raised_) raised_(from, notice);
  }
  /// Notices that an end port keeps for Get(Notice), the oldest first; at most kMaxNotices.
  std::deque<mad::Notice>& notices(PortIndex p) { return notices_[p]; }
  void keep_notice(PortIndex p, mad::Notice notice);
  /// Starts the lease of the port's M_Key unless it runs; when it ends, protection does.
  void start_lease(PortIndex p);
  void stop_lease(PortIndex p);
  /// Takes the link down from this end, which ends in `phys` (polling retrains it).
  void restart_link(PortIndex p, PhysState phys);

  // Faults. Ports are named by node and number; a port that does not exist or has no cable is ignored.
  void cut_link(NodeIndex n, PortNum number);
  void mend_link(NodeIndex n, PortNum number);
  /// Takes the cable out of both its ports.
  void unplug(PortIndex p);
  /// Puts a cable, whole or cut, between two ports that have none; nothing happens when one has.
  void plug(PortIndex a, PortIndex b, bool cut = false);
  /// Two nodes change places: every cable of the one, cut or not, goes to the other's port of the same
  /// number.
  void swap_places(NodeIndex a, NodeIndex b);
  void set_mute(NodeIndex n, Mute mute) { nodes_[raw(n)].mute = mute; }
  /// Off: every link down, no answer. On: as a blank device.
  void power_off(NodeIndex n);
  void power_on(NodeIndex n);
  /// Off and, after `away`, on again.
  void reboot(NodeIndex n, Duration away = {});
  /// Raises trap 144.
  void rename(NodeIndex n, std::string description);
  /// Raises trap 145.
  void set_system_guid(NodeIndex n, Guid guid);
  /// Another firmware: what the node can do from its next reboot on.
  void equip(NodeIndex n, const Settings& settings) { equipped_.insert_or_assign(n, settings); }
  /// Node and port GUIDs; one that another node has is allowed.
  void set_guid(NodeIndex n, Guid guid);
  /// Behind the manager's back; tells nobody.
  void set_lid(PortIndex p, Lid lid, std::uint8_t lmc = 0);
  /// Sets PortStateChange of the switch that a port is on or cabled to; no trap is sent.
  void hint_change(PortIndex p);
  /// Any other field of a port, such as a capability bit.
  void edit_port(PortIndex p, const std::function<void(mad::PortInfo&)>& edit) { edit(ports_[raw(p)].info); }
  /// Makes a node's answers about one attribute nonsense. An empty function ends it.
  void forge(NodeIndex n, mad::AttrId attribute, Forger forger);
  /// Ends all forging of a node.
  void end_forging(NodeIndex n);
  const Forger* forger(NodeIndex n, mad::AttrId attribute) const;

  void on_link_changed(LinkChanged listener) { link_changed_ = std::move(listener); }
  void on_raised(Raised listener) { raised_ = std::move(listener); }

 private:
  Node& mutable_node(NodeIndex n) { return nodes_[raw(n)]; }
  void add_node(const topology::Node& made);
  void add_cable(const topology::Cable& cable);
  void equip_spare_ports(NodeIndex n);
  void reset(NodeIndex n);
  void reset_port(PortIndex p);
  void take_down(PortIndex p, PhysState phys, bool by_set);
  void drop_link(PortIndex p);
  static PhysState at_loss(const mad::PortInfo& info);
  void train(PortIndex p);
  void link_up_now(PortIndex p);
  void note_change(PortIndex p);

  Clock& clock_;
  Settings settings_;
  Random random_;
  std::vector<Node> nodes_;
  std::vector<Port> ports_;
  std::vector<Switch> switches_;
  std::unordered_map<std::uint32_t, mad::DeviceBlocks> blocks_;
  std::unordered_map<std::uint64_t, Forger> forgers_;
  Counters counters_;
  LinkChanged link_changed_;
  Raised raised_;
  PerfCounters perf_;
  std::map<NodeIndex, Settings> equipped_;
  std::map<PortIndex, std::deque<mad::Notice>> notices_;
  std::map<PortIndex, Clock::TimerId> leases_;
  Agenda agenda_;
};

}  // namespace weft::sim
