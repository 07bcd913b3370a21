#include "sim/programmed_tables.h"

#include <algorithm>
#include <tuple>

namespace weft::sim {
namespace {

bool linked(const World& world, NodeIndex n) {
  for (unsigned number = 1; number <= world.node(n).port_count; ++number)
    if (world.link_up(world.port_of(n, static_cast<PortNum>(number)))) return true;
  return false;
}

}  // namespace

ProgrammedTables::ProgrammedTables(const World& world)
    : arrivals_(world.port_slots(), kNoPort), switch_of_port_(world.port_slots(), kNoSwitch) {
  for (std::uint32_t n = 0; n < world.node_count(); ++n) {
    const Node& node = world.node(NodeIndex{n});
    const bool is_switch = node.type == NodeType::switch_;
    for (unsigned number = is_switch ? 0 : 1; number <= node.port_count; ++number) {
      const PortIndex p = world.port_of(NodeIndex{n}, static_cast<PortNum>(number));
      if (is_switch) switch_of_port_[raw(p)] = static_cast<std::uint32_t>(rows_.size());
      if (number == 0)
        arrivals_[raw(p)] = p;
      else if (world.link_active(p))
        arrivals_[raw(p)] = world.port(p).peer;
    }
    if (!is_switch) continue;
    const Switch& sw = world.switch_of(NodeIndex{n});
    const std::size_t entries = std::min<std::size_t>(sw.lft.size(), raw(sw.info.lft_top) + 1u);
    rows_.push_back(
        {sw.lft.data(), static_cast<std::uint32_t>(entries), raw(node.first_port), node.port_count});
  }
}

std::vector<Destination> destinations(const World& world) {
  std::vector<Destination> all;
  for (std::uint32_t p = 0; p < world.port_slots(); ++p) {
    const Port& port = world.port(PortIndex{p});
    const bool host = !world.is_switch(port.node);
    const bool counts =
        host ? world.link_up(PortIndex{p}) : port.number == PortNum{0} && linked(world, port.node);
    if (!counts) continue;
    const unsigned lids = port.info.lid == kLidNone ? 1u : 1u << port.info.lmc;
    for (unsigned i = 0; i < lids; ++i)
      all.push_back({static_cast<Lid>(raw(port.info.lid) + i), PortIndex{p}, host});
  }
  std::ranges::sort(all, {}, [](const Destination& d) { return std::tuple(d.lid, d.port); });
  return all;
}

}  // namespace weft::sim
