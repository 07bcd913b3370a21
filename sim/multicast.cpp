#include "sim/multicast.h"

namespace weft::sim {
namespace {

constexpr std::uint32_t kFirstGroup = 0xc000;
constexpr std::uint32_t kGroupsPerBlock = 32;
constexpr std::uint32_t kPortsPerMask = 16;

mad::PortMask default_ports(const mad::SwitchInfo& info, PortNum in) {
  mad::PortMask ports;
  const PortNum chosen = in == info.default_multicast_primary ? info.default_multicast_not_primary
                                                              : info.default_multicast_primary;
  if (chosen != kPortDrop) ports.set(raw(chosen));
  return ports;
}

}  // namespace

mad::PortMask multicast_ports(const World& world, NodeIndex sw, Lid group, PortNum in) {
  mad::PortMask ports;
  if (raw(group) < kFirstGroup || group == kLidPermissive) return ports;
  const mad::SwitchInfo& info = world.switch_of(sw).info;
  const std::uint32_t index = raw(group) - kFirstGroup;
  const bool above_top =
      world.settings(sw).multicast_fdb_top && info.mft_top != kLidNone && group > info.mft_top;
  if (index >= info.mft_capacity || above_top) return default_ports(info, in);
  const mad::DeviceBlocks* blocks = world.find_blocks(sw);
  if (blocks == nullptr) return ports;
  for (std::uint32_t position = 0; position * kPortsPerMask <= world.node(sw).port_count; ++position) {
    const mad::AttrData* data =
        blocks->find(mad::AttrId::multicast_forwarding, position << 28 | index / kGroupsPerBlock);
    if (data == nullptr) continue;
    const unsigned mask = mad::decode<mad::MulticastForwardingTable>(*data).masks[index % kGroupsPerBlock];
    for (std::uint32_t bit = 0; bit < kPortsPerMask; ++bit)
      if ((mask >> bit & 1u) != 0) ports.set(position * kPortsPerMask + bit);
  }
  ports.reset(raw(in));
  return ports;
}

}  // namespace weft::sim
