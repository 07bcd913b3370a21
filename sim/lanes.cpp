#include "sim/lanes.h"

namespace weft::sim {
namespace {

Vl entry(const std::uint8_t* table, Sl sl) {
  const std::uint8_t pair = table[raw(sl) / 2];
  return static_cast<Vl>(raw(sl) % 2 == 0 ? pair >> 4 : pair & 0xf);
}

Vl usable(Vl vl, VlCount operational) { return raw(vl) < lanes(operational) ? vl : kVlDrop; }

Vl at_reset(const World& world, NodeIndex n, Sl sl) {
  return static_cast<Vl>(raw(sl) % lanes(world.settings(n).vl_cap));
}

}  // namespace

Vl lane_out(const World& world, NodeIndex sw, PortNum in, PortNum out, Sl sl) {
  const auto& table = world.switch_of(sw).sl_to_vl;
  const std::size_t ports = world.node(sw).port_count + 1u;
  const Vl vl = table.empty() ? at_reset(world, sw, sl) : entry(table[raw(in) * ports + raw(out)].data(), sl);
  return usable(vl, world.port(world.port_of(sw, out)).info.operational_vls);
}

Vl lane_of_host(const World& world, PortIndex port, Sl sl) {
  const Port& held = world.port(port);
  const mad::DeviceBlocks* blocks = world.find_blocks(held.node);
  const mad::AttrData* table =
      blocks == nullptr ? nullptr : blocks->find(mad::AttrId::sl_to_vl, raw(held.number));
  return usable(table == nullptr ? at_reset(world, held.node, sl) : entry(table->data(), sl),
                held.info.operational_vls);
}

}  // namespace weft::sim
