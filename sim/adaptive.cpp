#include "sim/adaptive.h"

#include <algorithm>

#include "sim/world.h"

namespace weft::sim {

using mad::AttrId;

std::size_t sub_groups(const mad::ArInfo& info) { return std::max<std::size_t>(info.sub_groups, 1); }

std::uint16_t group_capacity(const ArProfile& profile, std::size_t sub_groups) {
  constexpr std::size_t kMost = 0xfff;  // the field has 12 bits
  return static_cast<std::uint16_t>(std::min(profile.elements / std::max<std::size_t>(sub_groups, 1), kMost));
}

Adaptive adaptive_at_reset(const ArProfile& profile) {
  Adaptive made;
  mad::ArInfo& info = made.info;
  info.dynamic_cap = info.global_groups = true;
  info.by_sl_cap = profile.by_sl;
  info.by_transport_cap = profile.by_transport;
  info.directions = profile.notifications ? 8 : 0;
  info.string_width_cap = profile.notifications ? 1 : 0;
  info.arn_cap = info.frn_cap = profile.notifications;
  info.fr_cap = profile.fast_recovery;
  info.hbf_cap = info.whbf_cap = profile.hbf;
  info.pfrn_cap = profile.pfrn;
  info.group_copy = profile.group_copy ? 1 : 0;
  info.group_tables = 1;
  info.sub_groups = std::min<std::uint8_t>(profile.sub_groups, 2);
  info.sub_groups_cap = profile.sub_groups;
  info.group_cap = group_capacity(profile, info.sub_groups);
  info.ar_version = 1;
  made.plft_info.count = profile.plfts;
  if (profile.plfts > 1) {
    made.plft_info.modes = 1;
    made.plft_info.banks[0] = 48;
    made.plft_info.banks[1] = profile.plfts;
  }
  made.tables.resize(std::max<std::size_t>(profile.plfts, 1));
  return made;
}

mad::PortMask group_ports(const Adaptive& adaptive, std::size_t group, std::size_t sub_group) {
  const std::size_t element = group * sub_groups(adaptive.info) + sub_group;
  return element < adaptive.elements.size() ? adaptive.elements[element] : mad::PortMask{};
}

std::uint8_t plft_for(const World& world, NodeIndex sw, PortNum in, Sl sl) {
  const Adaptive* adaptive = world.switch_of(sw).adaptive.get();
  if (adaptive == nullptr || adaptive->plft_info.active_mode == 0) return 0;
  const mad::DeviceBlocks* blocks = world.find_blocks(sw);
  if (blocks == nullptr) return 0;
  if (const auto by_sl = mad::held<mad::PortSlToPlft>(*blocks, AttrId::port_sl_to_plft, raw(in) / 4u)) {
    const std::uint8_t plft = by_sl->plft[raw(in) % 4u * 16u + (raw(sl) & 0xfu)];
    return plft < adaptive->tables.size() ? plft : std::uint8_t{0};
  }
  for (std::uint32_t plft = 0; plft < adaptive->tables.size(); ++plft) {
    const auto map = mad::held<mad::PlftMap>(*blocks, AttrId::plft_map, mad::plft_map_modifier(plft));
    if (map && map->ports_enable && (map->ports[31u - raw(in) / 8u] >> raw(in) % 8u & 1u) != 0)
      return static_cast<std::uint8_t>(plft);
  }
  return 0;
}

std::optional<AdaptiveExits> adaptive_exits(const World& world, NodeIndex sw, PortNum in, Sl sl, Lid lid) {
  const Adaptive* adaptive = world.switch_of(sw).adaptive.get();
  if (adaptive == nullptr || !adaptive->info.enable) return std::nullopt;
  const auto& table = adaptive->tables[plft_for(world, sw, in, sl)];
  AdaptiveExits exits;
  if (raw(lid) >= table.size()) return exits;
  const mad::ArLftEntry entry = mad::ar_lft_entry(table[raw(lid)]);
  exits.fixed = entry.port;
  exits.group = entry.group;
  exits.state = entry.state;
  const bool adapts = !adaptive->info.by_sl || (adaptive->info.sl_mask >> (raw(sl) & 0xfu) & 1u) != 0;
  if (!adapts) exits.state = mad::ArLidState::fixed;
  if (exits.state == mad::ArLidState::fixed) return exits;
  for (std::size_t sub = 0; sub < sub_groups(adaptive->info); ++sub)
    exits.ports |= group_ports(*adaptive, entry.group, sub);
  return exits;
}

}  // namespace weft::sim
