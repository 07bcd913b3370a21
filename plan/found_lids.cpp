#include "plan/found_lids.h"

#include <unordered_map>

namespace weft::plan {
namespace {

struct Carried {
  Guid guid{};
  std::uint8_t lmc = 0;
  bool twice = false;
};

/// By base LID: what strangers' ports carry.
std::unordered_map<Lid, Carried> carried(const fabric::Fabric& fabric, Lid ours) {
  std::unordered_map<Lid, Carried> found;
  for (const fabric::PortRef end : fabric.end_ports()) {
    const fabric::Port& port = fabric.port(end);
    const bool is_switch = fabric.is_switch(end.node);
    const bool live = is_switch || port.state == PortState::active || port.state == PortState::armed;
    if (!live || port.lid == kLidNone || port.sm_lid == kLidNone || port.sm_lid == ours) continue;
    const Guid guid = is_switch && port.guid == Guid{} ? fabric.node(end.node).guid : port.guid;
    const auto [held, fresh] = found.emplace(port.lid, Carried{guid, port.lmc, false});
    if (!fresh) held->second.twice = true;
  }
  return found;
}

}  // namespace

std::shared_ptr<const LidMap> without_clashes(std::shared_ptr<const LidMap> recorded,
                                              const fabric::Fabric& fabric, Lid ours) {
  const std::unordered_map<Lid, Carried> found = carried(fabric, ours);
  if (found.empty()) return recorded;
  std::unordered_map<Guid, Lid> lid_of;
  std::unordered_map<std::uint32_t, Guid> holder;  // by LID, ranges written out
  for (const auto& [lid, one] : found) {
    if (one.twice) continue;
    lid_of.emplace(one.guid, lid);
    for (std::uint32_t i = 0; i < (1u << one.lmc); ++i) holder.emplace(raw(lid) + i, one.guid);
  }
  const auto clashes = [&](Guid guid, LidRange range) {
    const auto carries = lid_of.find(guid);
    if (carries != lid_of.end()) return carries->second != range.base;
    for (int i = 0; i < range.size(); ++i)
      if (holder.contains(raw(range.base) + static_cast<std::uint32_t>(i))) return true;
    return false;
  };
  auto kept = std::make_shared<LidMap>(*recorded);
  const std::size_t dropped =
      std::erase_if(*kept, [&](const auto& entry) { return clashes(entry.first, entry.second); });
  return dropped == 0 ? recorded : kept;
}

}  // namespace weft::plan
