#include "sim/world.h"

#include <algorithm>
#include <cassert>

#include "sim/link_training.h"
#include "sim/notices.h"

namespace weft::sim {
namespace {

PortIndex plus(PortIndex first, unsigned number) { return static_cast<PortIndex>(raw(first) + number); }

std::uint64_t forger_key(NodeIndex n, mad::AttrId attribute) {
  return static_cast<std::uint64_t>(raw(n)) << 16 | raw(attribute);
}

std::uint32_t capabilities(const Node& node, const mad::PortInfo& port, const Settings& settings) {
  constexpr std::uint32_t kAutoMigration = 1u << 5;
  constexpr std::uint32_t kSystemImageGuid = 1u << 11;
  constexpr std::uint32_t kCapabilityNotice = 1u << 22;
  constexpr std::uint32_t kLocalChangesNotice = 1u << 26;
  std::uint32_t mask = raw(mad::PortCap::notice) | kCapabilityNotice | kLocalChangesNotice |
                       raw(mad::PortCap::trap) | raw(mad::PortCap::sl_mapping) | kSystemImageGuid |
                       raw(mad::PortCap::mask2) | raw(mad::PortCap::client_reregister);
  if (node.type == NodeType::hca) mask |= kAutoMigration;
  if (port.speed_ext_supported != 0) mask |= raw(mad::PortCap::extended_speeds);
  if (node.type == NodeType::switch_ && settings.multicast_fdb_top)
    mask |= raw(mad::PortCap::multicast_fdb_top);
  return mask;
}

std::uint16_t capabilities2(const Node& node, const mad::PortInfo& port, const Settings& settings) {
  unsigned mask = 0;
  if (settings.port_info_extended) mask |= raw(mad::PortCap2::port_info_extended);
  if (port.width_supported & raw(LinkWidth::x2)) mask |= raw(mad::PortCap2::width_2x);
  if (port.speed_ext_supported & 4) mask |= raw(mad::PortCap2::hdr);
  if (port.speed_ext_supported & 8) mask |= raw(mad::PortCap2::ndr);
  if (port.speed_ext2_supported & 1) mask |= raw(mad::PortCap2::xdr) | raw(mad::PortCap2::extended_speeds2);
  if (node.type == NodeType::switch_ && settings.switch_port_state)
    mask |= raw(mad::PortCap2::switch_port_state);
  return static_cast<std::uint16_t>(mask);
}

}  // namespace

World::World(const topology::Topology& topology, Clock& clock, std::uint64_t seed, const Settings& settings)
    : clock_(clock),
      settings_(settings),
      random_(seed),
      counters_(topology.nodes.size()),
      perf_(0),
      agenda_(clock) {
  std::size_t slots = 0;
  std::size_t switches = 0;
  for (const topology::Node& made : topology.nodes) {
    slots += made.port_count + 1u;
    switches += made.type == NodeType::switch_;
  }
  perf_ = PerfCounters(slots);
  nodes_.reserve(topology.nodes.size());
  ports_.reserve(slots);
  switches_.reserve(switches);
  for (const topology::Node& made : topology.nodes) add_node(made);
  for (const topology::Cable& cable : topology.cables) add_cable(cable);
  for (std::uint32_t n = 0; n < nodes_.size(); ++n) equip_spare_ports(NodeIndex{n});
  for (std::uint32_t n = 0; n < nodes_.size(); ++n) reset(NodeIndex{n});
  for (std::uint32_t p = 0; p < ports_.size(); ++p)
    if (ports_[p].peer != kNoPort && raw(ports_[p].peer) > p) link_up_now(PortIndex{p});
  // A device that has just been plugged in reports no change: that is how it starts.
  for (Switch& sw : switches_) sw.info.state_changed = false;
}

void World::add_node(const topology::Node& made) {
  Node node;
  node.id = made.id;
  node.description = made.description.substr(0, 64);
  node.guid = made.guid;
  node.system_guid = made.system_guid == Guid{} ? made.guid : made.system_guid;
  node.vendor = made.vendor;
  node.device = made.device;
  node.type = made.type;
  node.port_count = made.port_count;
  node.enhanced_port0 = made.enhanced_port0;
  node.first_port = PortIndex{static_cast<std::uint32_t>(ports_.size())};
  const bool is_sw = made.type == NodeType::switch_;
  if (is_sw) {
    node.switch_index = static_cast<std::uint32_t>(switches_.size());
    switches_.emplace_back();
  }
  const NodeIndex index{static_cast<std::uint32_t>(nodes_.size())};
  for (unsigned number = 0; number <= made.port_count; ++number) {
    Port& port = ports_.emplace_back();
    port.node = index;
    port.number = static_cast<PortNum>(number);
    const std::size_t at = is_sw ? 0 : number - 1u;
    if (!is_sw && number == 0) continue;
    port.guid = at < made.port_guids.size() ? made.port_guids[at]
                                            : static_cast<Guid>(raw(made.guid) + (is_sw ? 0 : number));
  }
  nodes_.push_back(std::move(node));
}

void World::add_cable(const topology::Cable& cable) {
  const PortIndex a = port_of(NodeIndex{cable.a.node}, cable.a.port);
  const PortIndex b = port_of(NodeIndex{cable.b.node}, cable.b.port);
  assert(a != kNoPort && b != kNoPort);
  port(a).peer = b;
  port(b).peer = a;
  support(port(a).info, cable.width, cable.speed);
  support(port(b).info, cable.width, cable.speed);
  for (const PortIndex end : {a, b}) {
    Port& held = port(end);
    held.fdr10_supported = cable.speed == LinkSpeed::fdr10 && mad::is_mellanox(node(held.node).vendor);
    held.fdr10_enabled = held.fdr10_supported;
  }
}

/// Ports without a cable can do what the node's best cabled port can.
void World::equip_spare_ports(NodeIndex n) {
  const Node& node = this->node(n);
  mad::PortInfo best;
  support(best, LinkWidth::x4, LinkSpeed::sdr);
  for (unsigned number = 1; number <= node.port_count; ++number) {
    const mad::PortInfo& info = port(plus(node.first_port, number)).info;
    if (mad::fastest_supported(info) > mad::fastest_supported(best)) best = info;
  }
  for (unsigned number = 0; number <= node.port_count; ++number) {
    mad::PortInfo& info = port(plus(node.first_port, number)).info;
    if (info.width_supported == 0) support(info, mad::widest_supported(best), mad::fastest_supported(best));
  }
}

void World::reset(NodeIndex n) {
  Node& node = mutable_node(n);
  blocks_.erase(raw(n));
  node.booted = clock_.now();
  for (unsigned number = 0; number <= node.port_count; ++number) reset_port(plus(node.first_port, number));
  if (node.type != NodeType::switch_) return;
  Switch& sw = switch_of(n);
  const Settings& can = settings(n);
  sw.lft = {};
  sw.sl_to_vl = {};
  sw.info = {};
  sw.info.lft_capacity = can.lft_capacity;
  sw.info.mft_capacity = can.mft_capacity;
  sw.info.default_multicast_primary = kPortDrop;
  sw.info.default_multicast_not_primary = kPortDrop;
  sw.info.optimized_sl_to_vl = can.optimized_sl_to_vl ? 1 : 0;
  sw.info.partition_enforcement_cap = can.pkeys;
  sw.info.inbound_enforcement = sw.info.outbound_enforcement = true;
  sw.info.filter_raw_inbound = sw.info.filter_raw_outbound = true;
  sw.info.enhanced_port0 = node.enhanced_port0;
  const bool adapts = can.adaptive.offered && mad::is_mellanox(node.vendor);
  sw.adaptive = adapts ? std::make_unique<Adaptive>(adaptive_at_reset(can.adaptive)) : nullptr;
}

void World::reset_port(PortIndex p) {
  Port& port = this->port(p);
  const Node& node = this->node(port.node);
  const bool end_port = node.type != NodeType::switch_ || port.number == PortNum{0};
  const Settings& can = settings(port.node);
  stop_lease(p);
  notices_.erase(p);
  perf_.clear(p);
  port.fdr10_enabled = port.fdr10_supported;
  port.fdr10_active = false;
  mad::PortInfo info;
  // What the device can do outlives a reset.
  info.width_supported = info.width_enabled = port.info.width_supported;
  info.speed_supported = info.speed_enabled = port.info.speed_supported;
  info.speed_ext_supported = info.speed_ext_enabled = port.info.speed_ext_supported;
  info.speed_ext2_supported = info.speed_ext2_enabled = port.info.speed_ext2_supported;
  info.state = PortState::down;
  info.phys = PhysState::polling;
  info.link_down_default = raw(PhysState::polling);
  info.width_active = LinkWidth::x4;
  info.speed_active = 1;
  info.mtu_cap = can.mtu_cap;
  info.vl_cap = can.vl_cap;
  forget_peer(info);
  info.vl_arb_high_cap = info.vl_arb_low_cap = can.vl_arb_cap;
  info.vl_stall_count = 7;
  info.hoq_life = 16;
  info.local_phy_errors = info.overrun_errors = 8;
  info.subnet_timeout = 18;
  info.resp_time = 16;
  if (end_port) {  // on external ports of switches these mean nothing; port 0 speaks for them
    info.guid_cap = port.number == PortNum{0} ? can.port0_guid_cap : can.guid_cap;
    info.capabilities = capabilities(node, info, can);
    info.capabilities2 = capabilities2(node, info, can);
  }
  if (port.number == PortNum{0}) {
    info.state = PortState::active;
    info.phys = PhysState::link_up;
    info.vl_cap = info.operational_vls = VlCount::vl1;
  }
  port.info = info;
}

PortIndex World::port_of(NodeIndex n, PortNum number) const {
  if (raw(n) >= nodes_.size()) return kNoPort;
  const Node& owner = node(n);
  if (raw(number) > owner.port_count) return kNoPort;
  if (raw(number) == 0 && owner.type != NodeType::switch_) return kNoPort;
  return plus(owner.first_port, raw(number));
}

std::optional<NodeIndex> World::find(std::string_view id) const {
  for (std::uint32_t n = 0; n < nodes_.size(); ++n)
    if (nodes_[n].id == id) return NodeIndex{n};
  for (std::uint32_t n = 0; n < nodes_.size(); ++n)
    if (nodes_[n].description == id) return NodeIndex{n};
  return std::nullopt;
}

std::optional<NodeIndex> World::find(Guid guid) const {
  for (std::uint32_t n = 0; n < nodes_.size(); ++n)
    if (nodes_[n].guid == guid) return NodeIndex{n};
  for (const Port& port : ports_)
    if (port.guid == guid) return port.node;
  return std::nullopt;
}

bool World::link_up(PortIndex p) const {
  const Port& here = port(p);
  return here.peer != kNoPort && !here.cut && here.info.phys == PhysState::link_up &&
         port(here.peer).info.phys == PhysState::link_up;
}

bool World::link_active(PortIndex p) const {
  return link_up(p) && port(p).info.state == PortState::active &&
         port(port(p).peer).info.state == PortState::active;
}

bool World::carries_data(PortIndex p) const {
  return link_up(p) && port(p).info.state == PortState::active &&
         port(port(p).peer).info.state >= PortState::armed;
}

const Settings& World::settings(NodeIndex n) const {
  if (equipped_.empty()) return settings_;
  const auto found = equipped_.find(n);
  return found == equipped_.end() ? settings_ : found->second;
}

std::uint16_t World::pkey_capacity(PortIndex p) const {
  const Settings& can = settings(port(p).node);
  return port(p).number == PortNum{0} ? can.port0_pkeys : can.pkeys;
}

bool World::owns(PortIndex p, Lid lid) const {
  const mad::PortInfo& info = port(p).info;
  return info.lid != kLidNone && raw(lid) >= raw(info.lid) && raw(lid) < raw(info.lid) + (1u << info.lmc);
}

std::string World::name(PortIndex p) const {
  return fmt::format("{}[{}]", node(port(p).node).id, raw(port(p).number));
}

const mad::DeviceBlocks* World::find_blocks(NodeIndex n) const {
  const auto found = blocks_.find(raw(n));
  return found == blocks_.end() ? nullptr : &found->second;
}

void World::data_arrived(PortIndex p) {
  mad::PortInfo& info = port(p).info;
  if (info.state == PortState::armed && info.phys == PhysState::link_up) info.state = PortState::active;
}

void World::keep_notice(PortIndex p, mad::Notice notice) {
  std::deque<mad::Notice>& kept = notices_[p];
  if (kept.size() == kMaxNotices) return;
  notice.toggle = !kept.empty() && !kept.back().toggle;
  kept.push_back(notice);
}

void World::start_lease(PortIndex p) {
  const std::uint16_t seconds = port(p).info.m_key_lease;
  if (seconds == 0 || leases_.contains(p)) return;
  leases_[p] = agenda_.after(std::chrono::seconds(seconds), [this, p] {
    leases_.erase(p);
    port(p).info.m_key_protect = 0;
  });
}

void World::stop_lease(PortIndex p) {
  const auto found = leases_.find(p);
  if (found == leases_.end()) return;
  agenda_.cancel(found->second);
  leases_.erase(found);
}

void World::rename(NodeIndex n, std::string description) {
  mutable_node(n).description = std::move(description);
  for (const PortIndex p : end_ports(n)) raise(p, change_notice(*this, p, LocalChange::description));
}

void World::set_system_guid(NodeIndex n, Guid guid) {
  mutable_node(n).system_guid = guid;
  for (const PortIndex p : end_ports(n)) raise(p, system_guid_notice(*this, p));
}

std::vector<PortIndex> World::end_ports(NodeIndex n) const {
  const Node& owner = node(n);
  if (is_switch(n)) return {owner.first_port};
  std::vector<PortIndex> ports;
  for (unsigned number = 1; number <= owner.port_count; ++number)
    ports.push_back(plus(owner.first_port, number));
  return ports;
}

void World::set_guid(NodeIndex n, Guid guid) {
  Node& node = mutable_node(n);
  node.guid = guid;
  for (unsigned number = 0; number <= node.port_count; ++number)
    port(plus(node.first_port, number)).guid =
        static_cast<Guid>(raw(guid) + (node.type == NodeType::switch_ ? 0 : number));
}

void World::set_lid(PortIndex p, Lid lid, std::uint8_t lmc) {
  port(p).info.lid = lid;
  port(p).info.lmc = lmc;
}

void World::forge(NodeIndex n, mad::AttrId attribute, Forger forger) {
  if (forger)
    forgers_[forger_key(n, attribute)] = std::move(forger);
  else
    forgers_.erase(forger_key(n, attribute));
}

void World::end_forging(NodeIndex n) {
  std::erase_if(forgers_, [n](const auto& entry) { return entry.first >> 16 == raw(n); });
}

const World::Forger* World::forger(NodeIndex n, mad::AttrId attribute) const {
  if (forgers_.empty()) return nullptr;
  const auto found = forgers_.find(forger_key(n, attribute));
  return found == forgers_.end() ? nullptr : &found->second;
}

}  // namespace weft::sim
