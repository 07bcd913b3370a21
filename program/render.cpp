#include "program/render.h"

#include <algorithm>

#include "mad/port_info.h"
#include "program/port_fields.h"

namespace weft::program {

std::optional<PortWork> port_work(const plan::PortSettings& settings, fabric::PortRef port,
                                  const mad::AttrData* held, bool external_switch_port,
                                  std::uint32_t unkept) {
  if (held == nullptr || (!settings.end_port && !settings.bring_up)) return std::nullopt;
  const auto info = mad::decode<mad::PortInfo>(*held);
  PortWork work{.port = port};
  const std::uint32_t excused = unkept & ~hard_fields();
  work.settings = (differing(info, desired(info, settings, external_switch_port)) & ~excused) != 0;
  if (settings.bring_up && info.state == PortState::init) work.reach = PortState::armed;
  if (!work.settings && work.reach == PortState::no_change) return std::nullopt;
  return work;
}

std::optional<mad::SwitchInfo> switch_info_work(const mad::AttrData* held, Lid top, std::uint8_t lifetime,
                                                std::uint32_t unkept) {
  if (held == nullptr) return std::nullopt;
  mad::SwitchInfo info = mad::decode<mad::SwitchInfo>(*held);
  const bool lives_right = info.lifetime == lifetime || (unkept & kUnkeptLifetime) != 0;
  if (info.lft_top == top && lives_right && !info.state_changed) return std::nullopt;
  info.lft_top = top;
  info.lifetime = lifetime;
  return info;
}

mad::AttrData lft_block(const routing::Lft& lft, std::uint32_t block) {
  mad::AttrData data;
  std::ranges::copy(lft.block(block), data.begin());
  return data;
}

std::vector<std::uint32_t> lft_work(const routing::Lft& lft, Lid top, const mad::DeviceBlocks* held) {
  const mad::BlockTable* known = held != nullptr ? held->table(mad::AttrId::linear_forwarding) : nullptr;
  std::vector<std::uint32_t> blocks;
  for (std::uint32_t block = 0; block <= raw(top) / 64u; ++block) {
    const mad::AttrData* have = known != nullptr ? known->find(block) : nullptr;
    if (have == nullptr || !std::ranges::equal(*have, lft.block(block))) blocks.push_back(block);
  }
  return blocks;
}

PortState held_state(const mad::Shadow& shadow, const fabric::Fabric& fabric, fabric::PortRef port) {
  const mad::AttrData* held =
      shadow.find(fabric.node(port.node).guid, mad::AttrId::port_info, raw(port.port));
  return held != nullptr ? mad::decode<mad::PortInfo>(*held).state : PortState::down;
}

}  // namespace weft::program
