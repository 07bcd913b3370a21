#pragma once
// Read-back: asks devices what their tables hold, into the Shadow.

#include <span>
#include <vector>

#include "mad/blocks.h"
#include "transport/smp_client.h"

namespace weft::discovery {

/// One block to ask for.
struct BlockToRead {
  transport::Target target;
  mad::AttrId attribute{};
  std::uint32_t modifier = 0;
};

/// Reads the blocks; those that do not answer stay unknown. Returns how many were read.
asio::awaitable<std::size_t> read_back(transport::SmpClient& client, mad::Shadow& shadow,
                                       std::span<const BlockToRead> blocks);

}  // namespace weft::discovery
