#include "program/digests.h"

#include <algorithm>

#include "mad/switch_info.h"
#include "program/render.h"

namespace weft::program {
namespace {

const plan::DeviceRecord* record_of(const plan::DeviceMap& devices, Guid node) {
  const auto found = devices.find(node);
  return found != devices.end() ? found->second.get() : nullptr;
}

std::vector<std::uint64_t> digests_of(const mad::BlockTable* table) {
  std::vector<std::uint64_t> digests;
  if (table == nullptr) return digests;
  for (std::size_t i = 0; i < table->size() && table->modifiers()[i] == i; ++i)
    digests.push_back(plan::block_digest(table->data()[i]));
  return digests;
}

}  // namespace

std::uint32_t blocks_in_use(const mad::Shadow& shadow, Guid node) {
  const mad::DeviceBlocks* device = shadow.find_device(node);
  if (device == nullptr) return 0;
  const auto info = mad::held<mad::SwitchInfo>(*device, mad::AttrId::switch_info, 0);
  if (!info || info->lft_top == Lid{}) return 0;
  return std::min<std::uint32_t>(raw(info->lft_top), info->lft_capacity == 0 ? 0u : info->lft_capacity - 1u) /
             64 +
         1;
}

std::vector<SwitchId> to_read_back(const fabric::Fabric& fabric, const mad::Shadow& shadow,
                                   const plan::DeviceMap& devices) {
  std::vector<SwitchId> unread;
  for (std::size_t s = 0; s < fabric.switch_count(); ++s) {
    const Guid guid = fabric.node(static_cast<SwitchId>(s)).guid;
    if (blocks_in_use(shadow, guid) == 0) continue;  // blank: written without reading
    if (shadow.find_device(guid)->table(mad::AttrId::linear_forwarding) != nullptr) continue;  // read
    const plan::DeviceRecord* record = record_of(devices, guid);
    if (record == nullptr || record->lft_digests.empty()) unread.push_back(static_cast<SwitchId>(s));
  }
  return unread;
}

void adopt_digests(const fabric::Fabric& fabric, const plan::Plan& plan, const plan::DeviceMap& devices,
                   mad::Shadow& shadow) {
  for (std::size_t s = 0; s < fabric.switch_count(); ++s) {
    const auto id = static_cast<SwitchId>(s);
    const Guid guid = fabric.node(id).guid;
    const std::uint32_t in_use = blocks_in_use(shadow, guid);
    if (in_use == 0) continue;
    const routing::Lft& lft = *plan.routes().lfts[s];
    const mad::BlockTable* known = shadow.find_device(guid)->table(mad::AttrId::linear_forwarding);
    if (known != nullptr && known->size() >= in_use && known->modifiers().back() + 1 == known->size())
      continue;  // all of them are
    const plan::DeviceRecord* record = record_of(devices, guid);
    if (record == nullptr) continue;
    const auto blocks = std::min<std::size_t>({in_use, record->lft_digests.size(), lft.size() / 64});
    for (std::uint32_t block = 0; block < blocks; ++block) {
      if (shadow.find(guid, mad::AttrId::linear_forwarding, block) != nullptr) continue;
      const mad::AttrData planned = lft_block(lft, block);
      if (plan::block_digest(planned) == record->lft_digests[block])
        shadow.set(guid, mad::AttrId::linear_forwarding, block, planned);
    }
  }
}

std::shared_ptr<const plan::DeviceMap> updated_devices(const fabric::Fabric& fabric,
                                                       const mad::Shadow& shadow,
                                                       std::shared_ptr<const plan::DeviceMap> before,
                                                       const std::map<Guid, std::uint32_t>& unkept,
                                                       const std::map<Guid, std::uint64_t>& lanes,
                                                       const std::map<Guid, std::uint64_t>& keys) {
  auto after = std::make_shared<plan::DeviceMap>(*before);
  bool changed = false;
  for (const fabric::Node& node : fabric.nodes()) {
    plan::DeviceRecord record;
    const plan::DeviceRecord* old = record_of(*before, node.guid);
    const mad::DeviceBlocks* device = shadow.find_device(node.guid);
    if (node.type == NodeType::switch_ && device != nullptr)
      record.lft_digests = digests_of(device->table(mad::AttrId::linear_forwarding));
    const auto mask = unkept.find(node.guid);
    record.unkept_fields = mask != unkept.end() ? mask->second : old != nullptr ? old->unkept_fields : 0;
    const auto written = lanes.find(node.guid);
    record.lanes_digest = written != lanes.end() ? written->second : old != nullptr ? old->lanes_digest : 0;
    const auto keyed = keys.find(node.guid);
    record.keys_digest = keyed != keys.end() ? keyed->second : old != nullptr ? old->keys_digest : 0;
    const bool blank = record == plan::DeviceRecord{};
    if (old != nullptr ? *old == record : blank) continue;
    changed = true;
    if (blank)
      after->erase(node.guid);
    else
      (*after)[node.guid] = std::make_shared<const plan::DeviceRecord>(std::move(record));
  }
  return changed ? std::shared_ptr<const plan::DeviceMap>(std::move(after)) : before;
}

}  // namespace weft::program
