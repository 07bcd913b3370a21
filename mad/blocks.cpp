#include "mad/blocks.h"

#include <algorithm>

namespace weft::mad {

std::size_t BlockTable::place(std::uint32_t modifier) const {
  if (modifier < modifiers_.size() && modifiers_[modifier] == modifier) return modifier;
  if (modifiers_.empty() || modifiers_.back() < modifier) return modifiers_.size();
  return static_cast<std::size_t>(std::ranges::lower_bound(modifiers_, modifier) - modifiers_.begin());
}

const AttrData* BlockTable::find(std::uint32_t modifier) const {
  const std::size_t at = place(modifier);
  return at < modifiers_.size() && modifiers_[at] == modifier ? &data_[at] : nullptr;
}

void BlockTable::set(std::uint32_t modifier, const AttrData& data) {
  const std::size_t at = place(modifier);
  if (at < modifiers_.size() && modifiers_[at] == modifier) {
    data_[at] = data;
    return;
  }
  modifiers_.insert(modifiers_.begin() + static_cast<std::ptrdiff_t>(at), modifier);
  data_.insert(data_.begin() + static_cast<std::ptrdiff_t>(at), data);
}

void BlockTable::erase(std::uint32_t modifier) {
  const std::size_t at = place(modifier);
  if (at >= modifiers_.size() || modifiers_[at] != modifier) return;
  modifiers_.erase(modifiers_.begin() + static_cast<std::ptrdiff_t>(at));
  data_.erase(data_.begin() + static_cast<std::ptrdiff_t>(at));
}

const AttrData* DeviceBlocks::find(AttrId attribute, std::uint32_t modifier) const {
  const BlockTable* blocks = table(attribute);
  return blocks != nullptr ? blocks->find(modifier) : nullptr;
}

void DeviceBlocks::set(AttrId attribute, std::uint32_t modifier, const AttrData& data) {
  tables_[attribute].set(modifier, data);
}

void DeviceBlocks::erase(AttrId attribute, std::uint32_t modifier) {
  const auto found = tables_.find(attribute);
  if (found == tables_.end()) return;
  found->second.erase(modifier);
  if (found->second.size() == 0) tables_.erase(found);  // as if it had never been known
}

const BlockTable* DeviceBlocks::table(AttrId attribute) const {
  const auto found = tables_.find(attribute);
  return found != tables_.end() ? &found->second : nullptr;
}

void Blocks::set(Guid node, AttrId attribute, std::uint32_t modifier, const AttrData& data) {
  DeviceBlocks& device = devices_[node];
  const AttrData* held = device.find(attribute, modifier);
  if (held != nullptr && *held == data) return;
  const bool of_tables = attribute == AttrId::switch_info || attribute == AttrId::linear_forwarding;
  changed_[node] |= attribute == AttrId::port_info ? kPorts : of_tables ? kTables : kOther;
  device.set(attribute, modifier, data);
}

const DeviceBlocks* Blocks::find_device(Guid node) const {
  const auto found = devices_.find(node);
  return found != devices_.end() ? &found->second : nullptr;
}

const AttrData* Blocks::find(Guid node, AttrId attribute, std::uint32_t modifier) const {
  const DeviceBlocks* device = find_device(node);
  return device != nullptr ? device->find(attribute, modifier) : nullptr;
}

}  // namespace weft::mad
