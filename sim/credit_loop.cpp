// Credit loops: the dependencies of channels that packets make when they follow the forwarding tables,
// multicast by all branches.

#include <algorithm>
#include <set>

#include "sim/channel_graph.h"
#include "sim/judge.h"
#include "sim/lanes.h"
#include "sim/multicast.h"

namespace weft::sim {
namespace {

constexpr std::uint32_t kNoSwitch = ProgrammedTables::kNoSwitch;
using LaneMask = std::uint16_t;  // a bit a VL

class Follower {
 public:
  Follower(const World& world, const ProgrammedTables& tables, ChannelGraph& graph)
      : world_(world), tables_(tables), graph_(graph) {
    from_hosts_.resize(tables.switch_count());
    is_sm_.resize(tables.switch_count());
    for (std::uint32_t p = 0; p < world.port_slots(); ++p) {
      const Port& port = world.port(PortIndex{p});
      if (tables_.switch_at(PortIndex{p}) == kNoSwitch && world.link_active(PortIndex{p})) {
        const std::uint32_t leaf = tables_.switch_at(port.peer);
        if (leaf != kNoSwitch) from_hosts_[leaf].push_back(world.port(port.peer).number);
      }
      if (port.number == PortNum{0} && world.is_switch(port.node) && mad::has(port.info, mad::PortCap::is_sm))
        is_sm_[tables_.switch_at(PortIndex{p})] = true;
    }
    seen_.resize(world.port_slots());
    lanes_seen_.resize(world.port_slots());
  }

  /// Adds what packets of one SL to one LID do, from wherever they enter. Hosts answer every switch, so for
  /// their LIDs all switches are sources.
  void add(const Destination& to, Sl sl) {
    ++round_;
    for (std::uint32_t sw = 0; sw < tables_.switch_count(); ++sw) {
      for (const PortNum in : from_hosts_[sw]) follow(sw, in, to.lid, sl);
      if (to.host || is_sm_[sw]) follow(sw, PortNum{0}, to.lid, sl);
    }
  }

  /// The same to a group.
  void add_group(Lid group, Sl sl) {
    ++round_;
    for (std::uint32_t sw = 0; sw < tables_.switch_count(); ++sw) {
      for (const PortNum in : from_hosts_[sw]) branch(sw, in, group, sl);
      branch(sw, PortNum{0}, group, sl);
    }
  }

 private:
  void branch(std::uint32_t from, PortNum from_port, Lid group, Sl sl) {
    struct Copy {
      ChannelGraph::Channel here;
      std::uint32_t sw;
      PortNum in;
    };
    std::vector<Copy> copies{{ChannelGraph::kNone, from, from_port}};
    while (!copies.empty()) {
      const Copy copy = copies.back();
      copies.pop_back();
      const PortIndex port0 = tables_.port0(copy.sw);
      const NodeIndex node = world_.port(port0).node;
      const mad::PortMask exits = multicast_ports(world_, node, group, copy.in);
      for (unsigned exit = 1; exit <= tables_.port_count(copy.sw); ++exit) {
        if (!exits.test(exit)) continue;
        const PortIndex next = tables_.arrival_from(PortIndex{raw(port0) + exit});
        if (next == kNoPort || tables_.switch_at(next) == kNoSwitch) continue;
        const Vl vl = lane_out(world_, node, copy.in, static_cast<PortNum>(exit), sl);
        if (vl == kVlDrop) continue;
        if (copy.here != ChannelGraph::kNone) graph_.depend(copy.here, static_cast<PortNum>(exit), vl);
        if (is_new(next, vl))
          copies.push_back({graph_.channel(next, vl), tables_.switch_at(next), world_.port(next).number});
      }
    }
  }

  /// Whether nothing has been followed from there in this round.
  bool is_new(PortIndex arrival, Vl vl) {
    LaneMask& lanes = lanes_seen_[raw(arrival)];
    if (seen_[raw(arrival)] != round_) lanes = 0;
    seen_[raw(arrival)] = round_;
    const auto lane = static_cast<LaneMask>(1u << raw(vl));
    const bool fresh = (lanes & lane) == 0;
    lanes = static_cast<LaneMask>(lanes | lane);
    return fresh;
  }

  /// From a switch that a packet entered by `in` to the end of the way, or to where packets to this LID have
  /// been followed on the same lane already.
  void follow(std::uint32_t sw, PortNum in, Lid lid, Sl sl) {
    ChannelGraph::Channel here = ChannelGraph::kNone;
    while (true) {
      const PortIndex next = tables_.arrival(sw, lid);
      if (next == kNoPort) return;
      const std::uint32_t next_switch = tables_.switch_at(next);
      if (next_switch == kNoSwitch || next == tables_.port0(next_switch)) return;
      const PortNum exit = world_.port(world_.port(next).peer).number;
      const Vl vl = lane_out(world_, world_.port(tables_.port0(sw)).node, in, exit, sl);
      if (vl == kVlDrop) return;
      if (here != ChannelGraph::kNone) graph_.depend(here, exit, vl);
      if (!is_new(next, vl)) return;
      here = graph_.channel(next, vl);
      sw = next_switch;
      in = world_.port(next).number;
    }
  }

  const World& world_;
  const ProgrammedTables& tables_;
  ChannelGraph& graph_;
  std::vector<std::vector<PortNum>> from_hosts_;  // by switch: ports where hosts' packets enter
  std::vector<std::uint8_t> is_sm_;               // by switch: its port 0 sends to everybody
  std::vector<std::uint32_t> seen_;               // by port arrived at: round of lanes_seen_
  std::vector<LaneMask> lanes_seen_;              // by port arrived at: followed this round
  std::uint32_t round_ = 0;
};

/// Groups with an entry in any switch's table.
std::set<Lid> groups_of(const World& world) {
  constexpr std::uint32_t kGroupsPerBlock = 32;
  std::set<Lid> groups;
  for (std::uint32_t n = 0; n < world.node_count(); ++n) {
    const mad::DeviceBlocks* blocks =
        world.is_switch(NodeIndex{n}) ? world.find_blocks(NodeIndex{n}) : nullptr;
    const mad::BlockTable* table = blocks ? blocks->table(mad::AttrId::multicast_forwarding) : nullptr;
    if (table == nullptr) continue;
    for (std::size_t b = 0; b < table->size(); ++b) {
      const std::uint32_t first = 0xc000 + (table->modifiers()[b] & 0x1ff) * kGroupsPerBlock;
      const auto masks = mad::decode<mad::MulticastForwardingTable>(table->data()[b]).masks;
      for (std::uint32_t i = 0; i < kGroupsPerBlock; ++i)
        if (masks[i] != 0) groups.insert(static_cast<Lid>(first + i));
    }
  }
  return groups;
}

}  // namespace

std::optional<std::string> credit_loop(const World& world, std::span<const Sl> levels) {
  const ProgrammedTables tables(world);
  ChannelGraph graph(world, tables);
  Follower follower(world, tables, graph);
  for (const Destination& to : destinations(world))
    for (const Sl sl : levels)
      if (to.lid != kLidNone) follower.add(to, sl);
  for (const Lid group : groups_of(world))
    for (const Sl sl : levels) follower.add_group(group, sl);
  return graph.cycle();
}

std::optional<std::string> credit_loop(const World& world, const std::function<Sl(Lid)>& sl_to) {
  const ProgrammedTables tables(world);
  ChannelGraph graph(world, tables);
  Follower follower(world, tables, graph);
  for (const Destination& to : destinations(world))
    if (to.lid != kLidNone) follower.add(to, sl_to(to.lid));
  for (const Lid group : groups_of(world)) follower.add_group(group, Sl{0});
  return graph.cycle();
}

std::optional<std::string> credit_loop(const World& world) {
  constexpr std::array kLevel = {Sl{0}};
  return credit_loop(world, kLevel);
}

}  // namespace weft::sim
