#pragma once
// Multicast work: from the trees' entries of one switch to the blocks of its multicast table that have to be
// set. Pure.

#include <span>
#include <vector>

#include "mad/blocks.h"
#include "plan/multicast.h"

namespace weft::program {

/// One block of a multicast table. `modifier`: position << 28 | block, as devices are asked for it.
struct MftBlock {
  std::uint32_t modifier = 0;
  mad::AttrData data{};
};

inline constexpr std::uint32_t kMlidsPerBlock = 32;

/// Block that an MLID stands in.
std::uint32_t mft_block_of(Lid mlid);
/// Positions of 16 ports that a switch with so many external ports has.
std::uint32_t mft_positions(std::uint32_t port_count);

/// The planned content of one block. `entries` by rising MLID.
mad::AttrData mft_block(std::span<const plan::MulticastEntry> entries, std::uint32_t position,
                        std::uint32_t block);

/// Of these blocks, all positions that the device is known to hold otherwise. Unknown ones are not looked at:
/// they are read first.
std::vector<MftBlock> mft_work(std::span<const plan::MulticastEntry> entries, std::uint32_t port_count,
                               std::span<const std::uint32_t> blocks, const mad::DeviceBlocks* held);
/// Modifiers of these blocks that nothing is known of.
std::vector<std::uint32_t> mft_unknown(std::uint32_t port_count, std::span<const std::uint32_t> blocks,
                                       const mad::DeviceBlocks* held);

}  // namespace weft::program
