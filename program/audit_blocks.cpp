#include "program/audit_blocks.h"

#include <fmt/format.h>

#include "program/keys.h"
#include "program/render.h"

namespace weft::program {
namespace {

template <typename T>
bool same_as(const TableSet& planned, const mad::AttrData& answer) {
  return mad::decode<T>(planned.data) == mad::decode<T>(answer);
}

}  // namespace

std::vector<TableSet> planned_blocks(const fabric::Fabric& fabric, const plan::Plan& plan, NodeId node) {
  std::vector<TableSet> blocks;
  const auto id = fabric.switch_of(node);
  if (id) {
    const routing::Lft& lft = *plan.routes().lfts[raw(*id)];
    for (std::uint32_t block = 0; block <= raw(plan.routes().top) / routing::Lft::kBlock; ++block)
      blocks.push_back({mad::AttrId::linear_forwarding, block, lft_block(lft, block), PortNum{0}});
  }
  for (const PortKeys& port :
       plan.partitions.active ? planned_keys(fabric, plan.partitions, node) : std::vector<PortKeys>())
    for (TableSet& block : key_blocks(fabric, port)) blocks.push_back(std::move(block));
  if (!has_lanes(plan)) return blocks;
  for (TableSet& set : id ? lane_pairs(fabric, plan, *id) : lane_sets(fabric, plan, node))
    blocks.push_back(std::move(set));
  return blocks;
}

bool holds(const TableSet& planned, const mad::AttrData& answer) {
  switch (planned.attribute) {
    case mad::AttrId::pkey_table:
      return same_as<mad::PkeyTable>(planned, answer);
    case mad::AttrId::sl_to_vl:
      return same_as<mad::SlToVlTable>(planned, answer);
    case mad::AttrId::vl_arbitration:
      return same_as<mad::VlArbitrationTable>(planned, answer);
    default:
      return planned.data == answer;
  }
}

std::string describe(const TableSet& block) {
  if (block.attribute == mad::AttrId::linear_forwarding)
    return fmt::format("{} block {}", mad::name(block.attribute), block.modifier);
  return fmt::format("{} 0x{:x}", mad::name(block.attribute), block.modifier);
}

}  // namespace weft::program
