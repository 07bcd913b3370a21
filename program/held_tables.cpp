#include "program/held_tables.h"

#include <algorithm>

#include "mad/switch_info.h"
#include "plan/held.h"
#include "program/digests.h"

namespace weft::program {
namespace {

constexpr std::size_t kBlock = routing::Lft::kBlock;
constexpr std::uint32_t kMostBlocks = routing::Lft::kPiece / kBlock * routing::Lft::kMostPieces;

/// One switch's row; LIDs above its LinearFDBTop are not looked up.
std::shared_ptr<const routing::Lft> held_row(const mad::DeviceBlocks& device,
                                             const std::shared_ptr<const routing::Lft>& planned,
                                             std::uint32_t in_use, std::vector<std::uint32_t>& unknown) {
  std::vector<std::uint8_t> row(std::max<std::size_t>(planned->size(), in_use * kBlock), routing::kNoWay);
  for (std::uint32_t block = 0; block < in_use; ++block) {
    const auto at = row.begin() + static_cast<std::ptrdiff_t>(block * kBlock);
    if (const mad::AttrData* held = device.find(mad::AttrId::linear_forwarding, block)) {
      std::ranges::copy(*held, at);
    } else {
      std::fill_n(at, kBlock, plan::kUnknownWay);
      unknown.push_back(block);
    }
  }
  const auto info = mad::held<mad::SwitchInfo>(device, mad::AttrId::switch_info, 0);
  for (std::size_t lid = std::size_t{raw(info->lft_top)} + 1; lid < in_use * kBlock; ++lid)
    row[lid] = routing::kNoWay;
  routing::Lft held(row, *planned);
  return held == *planned ? planned : std::make_shared<const routing::Lft>(std::move(held));
}

}  // namespace

HeldTables held_tables(const fabric::Fabric& fabric, const plan::Plan& plan, const mad::Shadow& shadow) {
  HeldTables held;
  held.routes.engine = "held";
  for (std::size_t s = 0; s < fabric.switch_count(); ++s) {
    const auto id = static_cast<SwitchId>(s);
    const Guid guid = fabric.node(id).guid;
    const std::uint32_t in_use = std::min(blocks_in_use(shadow, guid), kMostBlocks);
    if (in_use == 0) continue;
    std::vector<std::uint32_t> unknown;
    held.routes.switches.push_back(guid);
    held.routes.lfts.push_back(held_row(*shadow.find_device(guid), plan.routes().lfts[s], in_use, unknown));
    for (const std::uint32_t block : unknown) held.unknown.emplace_back(id, block);
  }
  return held;
}

}  // namespace weft::program
