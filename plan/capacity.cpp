#include "plan/capacity.h"

#include "plan/lids.h"

namespace weft::plan {
namespace {

/// Switches that cannot look up a LID. A capacity of 0 is not known and counts as enough.
std::vector<SwitchId> cannot_hold(const fabric::Fabric& fabric, Lid lid) {
  std::vector<SwitchId> small;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const auto id = static_cast<SwitchId>(s);
    const std::uint16_t capacity = fabric.node(id).switch_facts.lft_capacity;
    if (capacity != 0 && capacity <= raw(lid)) small.push_back(id);
  }
  return small;
}

}  // namespace

Capacity find_too_small(const fabric::Fabric& fabric, const LidOptions& options, const Ledger& ledger) {
  if (cannot_hold(fabric, kLidLastUnicast).empty()) return {.top = kLidLastUnicast, .too_small = {}};
  const Lid top = assign_lids(fabric, options, ledger).top;
  return {.top = top, .too_small = cannot_hold(fabric, top)};
}

}  // namespace weft::plan
