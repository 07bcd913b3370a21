#pragma once
// Blocks: images of what devices hold, or should hold: 64 bytes each, keyed by node GUID, attribute and
// modifier. Keys are GUIDs since dense indices shift from sweep to sweep.
//
// A Shadow is the Blocks a device is *known* to hold. What is absent is unknown: read or written, never
// assumed.

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "mad/smp.h"

namespace weft::mad {

/// The blocks of one attribute of one device, by rising modifier. Dense modifiers from 0 on are found by
/// index.
class BlockTable {
 public:
  /// Null when unknown.
  const AttrData* find(std::uint32_t modifier) const;
  void set(std::uint32_t modifier, const AttrData& data);
  void erase(std::uint32_t modifier);
  std::size_t size() const { return modifiers_.size(); }
  const std::vector<std::uint32_t>& modifiers() const { return modifiers_; }
  const std::vector<AttrData>& data() const { return data_; }
  bool operator==(const BlockTable&) const = default;

 private:
  std::size_t place(std::uint32_t modifier) const;
  std::vector<std::uint32_t> modifiers_;
  std::vector<AttrData> data_;
};

/// All blocks of one device. PortInfo stands under its port number, without the bit for extended speeds.
class DeviceBlocks {
 public:
  const AttrData* find(AttrId attribute, std::uint32_t modifier) const;
  void set(AttrId attribute, std::uint32_t modifier, const AttrData& data);
  void erase(AttrId attribute, std::uint32_t modifier);
  void erase(AttrId attribute) { tables_.erase(attribute); }
  const BlockTable* table(AttrId attribute) const;
  const std::map<AttrId, BlockTable>& tables() const { return tables_; }
  bool operator==(const DeviceBlocks&) const = default;

 private:
  std::map<AttrId, BlockTable> tables_;
};

class Blocks {
 public:
  /// To be written: all of the device counts as changed.
  DeviceBlocks& device(Guid node) {
    changed_[node] = kPorts | kTables | kOther;
    return devices_[node];
  }
  /// Null when nothing is known of the device.
  const DeviceBlocks* find_device(Guid node) const;
  const AttrData* find(Guid node, AttrId attribute, std::uint32_t modifier) const;
  void set(Guid node, AttrId attribute, std::uint32_t modifier, const AttrData& data);
  /// Forgets a device altogether: it booted, or is gone.
  void drop_device(Guid node) {
    changed_[node] = kPorts | kTables | kOther;
    devices_.erase(node);
  }
  std::size_t device_count() const { return devices_.size(); }

  /// Kinds of blocks: PortInfo; SwitchInfo and forwarding tables; all else.
  static constexpr std::uint8_t kPorts = 1;
  static constexpr std::uint8_t kTables = 2;
  static constexpr std::uint8_t kOther = 4;
  /// Devices of which something is known now that was not, was known to be otherwise, or is known no longer;
  /// with the kinds of blocks.
  const std::unordered_map<Guid, std::uint8_t>& changed() const { return changed_; }
  void forget_changes() { changed_.clear(); }

 private:
  std::unordered_map<Guid, DeviceBlocks> devices_;
  std::unordered_map<Guid, std::uint8_t> changed_;
};

using Shadow = Blocks;

/// The attribute held in a block, decoded; nothing when the block is unknown.
template <typename S>
std::optional<S> held(const DeviceBlocks& device, AttrId attribute, std::uint32_t modifier) {
  const AttrData* data = device.find(attribute, modifier);
  if (data == nullptr) return std::nullopt;
  return decode<S>(*data);
}

}  // namespace weft::mad
