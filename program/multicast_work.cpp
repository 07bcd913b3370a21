#include "program/multicast_work.h"

#include <algorithm>

namespace weft::program {
namespace {

constexpr std::uint32_t kFirstMlid = 0xc000;
constexpr std::uint32_t kPortsPerPosition = 16;

std::uint32_t modifier_of(std::uint32_t position, std::uint32_t block) { return position << 28 | block; }

}  // namespace

std::uint32_t mft_block_of(Lid mlid) { return (raw(mlid) - kFirstMlid) / kMlidsPerBlock; }

std::uint32_t mft_positions(std::uint32_t port_count) { return port_count / kPortsPerPosition + 1; }

mad::AttrData mft_block(std::span<const plan::MulticastEntry> entries, std::uint32_t position,
                        std::uint32_t block) {
  mad::AttrData data{};
  const std::uint32_t first = kFirstMlid + block * kMlidsPerBlock;
  auto entry = std::ranges::lower_bound(entries, static_cast<Lid>(first), {}, &plan::MulticastEntry::mlid);
  for (; entry != entries.end() && raw(entry->mlid) < first + kMlidsPerBlock; ++entry) {
    const std::uint32_t port = position * kPortsPerPosition;
    const std::uint64_t mask = entry->ports[port / 64] >> port % 64 & 0xffff;
    put_bits(std::span<std::uint8_t>(data), (raw(entry->mlid) - first) * 16u, 16, mask);
  }
  return data;
}

std::vector<MftBlock> mft_work(std::span<const plan::MulticastEntry> entries, std::uint32_t port_count,
                               std::span<const std::uint32_t> blocks, const mad::DeviceBlocks* held) {
  std::vector<MftBlock> work;
  for (const std::uint32_t block : blocks)
    for (std::uint32_t position = 0; position < mft_positions(port_count); ++position) {
      const std::uint32_t modifier = modifier_of(position, block);
      const mad::AttrData* have =
          held == nullptr ? nullptr : held->find(mad::AttrId::multicast_forwarding, modifier);
      if (have == nullptr) continue;
      const mad::AttrData want = mft_block(entries, position, block);
      if (*have != want) work.push_back({modifier, want});
    }
  return work;
}

std::vector<std::uint32_t> mft_unknown(std::uint32_t port_count, std::span<const std::uint32_t> blocks,
                                       const mad::DeviceBlocks* held) {
  std::vector<std::uint32_t> unknown;
  for (const std::uint32_t block : blocks)
    for (std::uint32_t position = 0; position < mft_positions(port_count); ++position) {
      const std::uint32_t modifier = modifier_of(position, block);
      if (held == nullptr || held->find(mad::AttrId::multicast_forwarding, modifier) == nullptr)
        unknown.push_back(modifier);
    }
  return unknown;
}

}  // namespace weft::program
