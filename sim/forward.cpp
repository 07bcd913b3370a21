#include "sim/forward.h"

namespace weft::sim {

std::string_view name(Drop drop) {
  switch (drop) {
    case Drop::none:
      return "none";
    case Drop::no_entry:
      return "no entry";
    case Drop::entry_255:
      return "entry 255";
    case Drop::above_top:
      return "above LinearFDBTop";
    case Drop::no_such_port:
      return "no such port";
    case Drop::port_down:
      return "port down";
    case Drop::loop:
      return "loop after 64 hops";
    case Drop::not_for_this_node:
      return "not for this node";
    case Drop::no_such_node:
      return "no such node";
    case Drop::not_a_switch:
      return "not a switch";
    case Drop::mute:
      return "mute";
    case Drop::bad_route:
      return "bad route";
    case Drop::lost:
      return "lost";
    case Drop::bad_m_key:
      return "bad M_Key";
    case Drop::partition:
      return "wrong partition";
    case Drop::no_lane:
      return "no lane";
    case Drop::too_long:
      return "longer than the MTU";
    case Drop::nobody:
      return "nobody there";
  }
  return "?";
}

namespace {

Way& ended(Way& way, Drop drop, PortIndex at) {
  way.drop = drop;
  way.end = at;
  return way;
}

}  // namespace

PortIndex table_exit(const World& world, NodeIndex n, Lid to, Drop& drop) {
  const Switch& sw = world.switch_of(n);
  const Node& node = world.node(n);
  drop = Drop::above_top;
  if (to > sw.info.lft_top) return node.first_port;
  drop = Drop::no_entry;
  if (raw(to) >= sw.lft.size()) return node.first_port;
  const PortNum exit = sw.lft[raw(to)];
  drop = Drop::entry_255;
  if (exit == kPortDrop) return node.first_port;
  drop = Drop::no_such_port;
  if (raw(exit) > node.port_count) return node.first_port;
  drop = Drop::none;
  return static_cast<PortIndex>(raw(node.first_port) + raw(exit));
}

Way route_by_lid(const World& world, PortIndex from, Lid to) {
  Way way;
  if (!is_unicast(to)) return ended(way, Drop::no_such_node, from);
  if (world.owns(from, to)) return ended(way, Drop::none, from);
  PortIndex here = from;
  while (true) {
    const NodeIndex n = world.port(here).node;
    PortIndex out = here;
    if (world.is_switch(n)) {
      Drop drop{};
      out = table_exit(world, n, to, drop);
      if (drop != Drop::none) return ended(way, drop, here);
      if (world.port(out).number == PortNum{0})
        return ended(way, world.owns(out, to) ? Drop::none : Drop::not_for_this_node, out);
    } else if (way.hops > 0) {
      return ended(way, world.owns(here, to) ? Drop::none : Drop::not_for_this_node, here);
    }
    if (way.hops == kMaxLidHops) return ended(way, Drop::loop, out);
    if (!world.carries_data(out)) return ended(way, Drop::port_down, out);
    way.out[static_cast<std::size_t>(way.hops++)] = out;
    here = world.port(out).peer;
  }
}

Way route_directed(const World& world, PortIndex from, std::span<const PortNum> exits) {
  Way way;
  PortIndex here = from;
  for (const PortNum exit : exits) {
    const NodeIndex n = world.port(here).node;
    const Node& node = world.node(n);
    PortIndex out = here;
    if (world.is_switch(n)) {
      if (way.hops > 0 && node.mute == Mute::smi) return ended(way, Drop::mute, here);
      if (exit == PortNum{0} || raw(exit) > node.port_count) return ended(way, Drop::no_such_port, here);
      out = static_cast<PortIndex>(raw(node.first_port) + raw(exit));
    } else {
      if (way.hops > 0) return ended(way, Drop::not_a_switch, here);
      if (exit != world.port(here).number) return ended(way, Drop::no_such_port, here);
    }
    if (!world.link_up(out)) return ended(way, Drop::port_down, out);
    way.out[static_cast<std::size_t>(way.hops++)] = out;
    here = world.port(out).peer;
  }
  return ended(way, Drop::none, here);
}

}  // namespace weft::sim
