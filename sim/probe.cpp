#include "sim/probe.h"

#include <set>

#include "sim/adaptive.h"
#include "sim/lanes.h"
#include "sim/multicast.h"
#include "sim/partition.h"

namespace weft::sim {
namespace {

bool refuses(const World& world, PortIndex port, const Probe& probe, Direction direction) {
  return !partition_admits(world, port, probe.pkey, direction);
}

/// Why a packet cannot leave by a port on a lane; none when it can.
Drop leaving(const World& world, PortIndex out, Vl vl, const Probe& probe) {
  if (refuses(world, out, probe, Direction::out)) return Drop::partition;
  if (!world.carries_data(out)) return Drop::port_down;
  if (vl == kVlDrop) return Drop::no_lane;
  return probe.bytes > bytes(world.port(out).info.neighbor_mtu) ? Drop::too_long : Drop::none;
}

/// Why an end port does not take a packet that came to it.
Drop taking(const World& world, PortIndex end, const Probe& probe) {
  const bool group = !is_unicast(probe.to);
  if (!group && !world.owns(end, probe.to)) return Drop::not_for_this_node;
  return refuses(world, end, probe, Direction::in) ? Drop::partition : Drop::none;
}

/// Where a switch may send a unicast packet: one port, or the members of a group.
std::vector<PortIndex> exits(const World& world, PortIndex in, const Probe& probe, Drop& drop) {
  const Port& arrival = world.port(in);
  drop = Drop::none;
  const auto adaptive = adaptive_exits(world, arrival.node, arrival.number, probe.sl, probe.to);
  if (!adaptive) {
    const PortIndex out = table_exit(world, arrival.node, probe.to, drop);
    return drop == Drop::none ? std::vector{out} : std::vector<PortIndex>();
  }
  std::vector<PortIndex> ports;
  for (unsigned number = 1; number <= world.node(arrival.node).port_count; ++number)
    if (adaptive->ports.test(number))
      ports.push_back(world.port_of(arrival.node, static_cast<PortNum>(number)));
  if (!ports.empty()) return ports;
  const PortIndex out = world.port_of(arrival.node, adaptive->fixed);
  drop = adaptive->fixed == kPortDrop ? Drop::entry_255 : out == kNoPort ? Drop::no_such_port : Drop::none;
  return drop == Drop::none ? std::vector{out} : std::vector<PortIndex>();
}

Vl lane_from(const World& world, PortIndex in, PortIndex out, Sl sl) {
  const Port& exit = world.port(out);
  if (!world.is_switch(exit.node)) return lane_of_host(world, out, sl);
  return lane_out(world, exit.node, world.port(in).number, exit.number, sl);
}

/// One packet on its way, with all that it leaves behind.
class Walker {
 public:
  Walker(World& world, const Probe& probe) : world_(world), probe_(probe) {}

  Probed walk() {
    if (is_unicast(probe_.to))
      unicast();
    else
      multicast();
    return std::move(result_);
  }

 private:
  void dropped(Drop drop, PortIndex at, Direction direction = Direction::in) {
    if (drop == Drop::partition) {
      const KeyViolation packet{.from = world_.port(probe_.from).info.lid,
                                .to = probe_.to,
                                .key = raw(probe_.pkey),
                                .sl = probe_.sl};
      refuse_pkey(world_, at, direction, packet);
    }
    if (result_.drop != Drop::none) return;
    result_.drop = drop;
    result_.at = at;
  }
  /// The port at the other end; kNoPort, and told, when the packet gets no further.
  PortIndex leave(PortIndex in, PortIndex out) {
    const Vl vl = lane_from(world_, in, out, probe_.sl);
    const Drop drop = leaving(world_, out, vl, probe_);
    if (drop != Drop::none) {
      dropped(drop, out, Direction::out);
      return kNoPort;
    }
    const PortIndex next = world_.port(out).peer;
    result_.hops.push_back({out, next, vl});
    return next;
  }
  /// False, and told, when a switch's port keeps the packet out.
  bool enter(PortIndex in) {
    if (world_.port(in).number == PortNum{0} || !refuses(world_, in, probe_, Direction::in)) return true;
    dropped(Drop::partition, in);
    return false;
  }
  void arrive(PortIndex end) {
    const Drop drop = taking(world_, end, probe_);
    if (drop == Drop::none)
      result_.arrived.push_back(end);
    else
      dropped(drop, end);
  }

  void unicast() {
    if (world_.owns(probe_.from, probe_.to)) return arrive(probe_.from);
    PortIndex here = probe_.from;
    if (!world_.is_switch(world_.port(here).node)) here = leave(here, here);
    while (here != kNoPort) {
      if (!world_.is_switch(world_.port(here).node)) return arrive(here);
      if (!enter(here)) return;
      if (result_.hops.size() > static_cast<std::size_t>(kMaxLidHops)) return dropped(Drop::loop, here);
      Drop drop{};
      const std::vector<PortIndex> choice = exits(world_, here, probe_, drop);
      if (choice.empty()) return dropped(drop, here);
      const auto pick =
          choice.size() == 1 ? 0 : world_.random().below(static_cast<std::int64_t>(choice.size()));
      const PortIndex out = choice[static_cast<std::size_t>(pick)];
      if (world_.port(out).number == PortNum{0}) return arrive(out);
      here = leave(here, out);
    }
  }

  void multicast() {
    std::set<NodeIndex> seen;  // a tree meets each switch once
    std::vector<PortIndex> places;
    const auto go = [&](PortIndex in, PortIndex out) {
      const PortIndex next = leave(in, out);
      if (next == kNoPort) return;
      if (world_.is_switch(world_.port(next).node))
        places.push_back(next);
      else
        arrive(next);
    };
    if (world_.is_switch(world_.port(probe_.from).node))
      places.push_back(probe_.from);
    else
      go(probe_.from, probe_.from);
    while (!places.empty()) {
      const PortIndex here = places.back();
      places.pop_back();
      const NodeIndex n = world_.port(here).node;
      if (!seen.insert(n).second) {
        dropped(Drop::loop, here);
        continue;
      }
      if (!enter(here)) continue;
      const mad::PortMask ports = multicast_ports(world_, n, probe_.to, world_.port(here).number);
      if (ports.none()) dropped(Drop::no_entry, here);
      for (unsigned number = 0; number <= world_.node(n).port_count; ++number) {
        if (!ports.test(number)) continue;
        const PortIndex out = world_.port_of(n, static_cast<PortNum>(number));
        if (number == 0)
          arrive(out);
        else
          go(here, out);
      }
    }
  }

  World& world_;
  const Probe& probe_;
  Probed result_;
};

}  // namespace

Probed send_probe(World& world, const Probe& probe) { return Walker(world, probe).walk(); }

std::string describe(const World& world, const Probed& probed) {
  std::string text;
  for (const ProbeHop& hop : probed.hops) {
    text += world.name(hop.out);
    if (hop.vl != Vl{0}) text += fmt::format(" VL{}", raw(hop.vl));
    text += " > ";
  }
  if (probed.hops.empty())
    text += probed.arrived.empty() ? std::string() : world.name(probed.arrived.front());
  else
    text += world.name(probed.hops.back().in);
  if (probed.drop != Drop::none)
    text += fmt::format("{}{} at {}", text.empty() ? "" : ": ", name(probed.drop), world.name(probed.at));
  return text;
}

std::vector<std::string> probe_every_way(const World& world, const Probe& probe) {
  std::vector<std::string> failures;
  enum : std::uint8_t { fresh, on_stack, finished };
  std::vector<std::uint8_t> state(world.port_slots(), fresh);
  struct Frame {
    PortIndex in;
    std::vector<PortIndex> choice;
    std::size_t next = 0;
  };
  std::vector<Frame> stack;
  const auto fail_at = [&](Drop drop, PortIndex at) {
    failures.push_back(fmt::format("{} at {}", name(drop), world.name(at)));
  };
  const auto enter = [&](PortIndex in) {
    if (is_end_port(world, in) && in != probe.from) {
      if (const Drop drop = taking(world, in, probe); drop != Drop::none) fail_at(drop, in);
      return;
    }
    if (state[raw(in)] == on_stack) return fail_at(Drop::loop, in);
    if (state[raw(in)] == finished) return;
    if (in != probe.from && refuses(world, in, probe, Direction::in)) return fail_at(Drop::partition, in);
    Drop drop = Drop::none;
    std::vector<PortIndex> choice{in};
    if (world.is_switch(world.port(in).node)) choice = exits(world, in, probe, drop);
    if (drop != Drop::none) return fail_at(drop, in);
    state[raw(in)] = on_stack;
    stack.push_back({in, std::move(choice)});
  };
  if (world.owns(probe.from, probe.to)) return failures;
  enter(probe.from);
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.next == top.choice.size()) {
      state[raw(top.in)] = finished;
      stack.pop_back();
      continue;
    }
    const PortIndex out = top.choice[top.next++];
    if (world.port(out).number == PortNum{0}) {
      if (const Drop drop = taking(world, out, probe); drop != Drop::none) fail_at(drop, out);
      continue;
    }
    const Drop drop = leaving(world, out, lane_from(world, top.in, out, probe.sl), probe);
    if (drop != Drop::none)
      fail_at(drop, out);
    else
      enter(world.port(out).peer);
  }
  return failures;
}

}  // namespace weft::sim
