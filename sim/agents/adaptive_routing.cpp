// The adaptive-routing attributes, of switches that offer them. Modifiers by the convention of
// mad/adaptive_routing.h; what is refused stands in docs/simulator.md. A Set either changes all it asks for
// or, refused, nothing.
#include "mad/adaptive_routing.h"

#include <algorithm>
#include <optional>

#include "sim/agents/agents.h"

namespace weft::sim {
namespace {

using mad::ArInfo;
using mad::AttrId;
using mad::Status;

constexpr std::uint32_t kBlockBits = 0xffff;
constexpr std::uint32_t kPlftShift = 24;

/// Null where the node has no adaptive routing.
Adaptive* adaptive_of(Call& call) {
  return call.at_switch() ? call.world.switch_of(call.node).adaptive.get() : nullptr;
}

/// What ArInfo would be with the fields that can be set taken from `wanted`; nothing when one is bad.
std::optional<ArInfo> with(const ArInfo& held, const ArInfo& wanted, const ArProfile& profile) {
  if (wanted.sub_groups > profile.sub_groups) return std::nullopt;
  if ((wanted.by_sl && !held.by_sl_cap) || (wanted.transport_disable != 0 && !held.by_transport_cap))
    return std::nullopt;
  if ((wanted.fr_enable && !held.fr_cap) || (wanted.rn_xmit_enable && !held.frn_cap && !held.arn_cap))
    return std::nullopt;
  if ((wanted.hbf && !held.hbf_cap) || (wanted.whbf && !held.whbf_cap) || (wanted.pfrn && !held.pfrn_cap))
    return std::nullopt;
  ArInfo made = held;
  made.enable = wanted.enable;
  made.by_sl = wanted.by_sl;
  made.sl_mask = wanted.sl_mask;
  made.transport_disable = wanted.transport_disable;
  made.no_fallback = wanted.no_fallback;
  made.fr_enable = wanted.fr_enable;
  made.rn_xmit_enable = wanted.rn_xmit_enable;
  made.ageing_us = wanted.ageing_us;
  made.hbf = wanted.hbf;
  made.whbf = wanted.whbf;
  made.by_vl = wanted.by_vl;
  made.pfrn = wanted.pfrn;
  made.hbf_sl_mask = wanted.hbf_sl_mask;
  made.sub_groups = wanted.sub_groups;
  made.group_cap = group_capacity(profile, sub_groups(made));
  made.group_top = wanted.group_top;
  if (made.group_top != 0 && made.group_top >= made.group_cap) return std::nullopt;
  return made;
}

bool good_ports(const Call& call, const mad::PortMask& ports) {
  if (ports[0]) return false;
  for (std::size_t p = call.self().port_count + 1u; p < ports.size(); ++p)
    if (ports[p]) return false;
  return true;
}

mad::PortMask element(const Adaptive& adaptive, std::size_t at) {
  return at < adaptive.elements.size() ? adaptive.elements[at] : mad::PortMask{};
}
void put_element(Adaptive& adaptive, std::size_t at, const mad::PortMask& ports) {
  if (at >= adaptive.elements.size()) adaptive.elements.resize(at + 1);
  adaptive.elements[at] = ports;
}

std::size_t element_count(const Adaptive& adaptive) {
  return adaptive.info.group_cap * sub_groups(adaptive.info);
}

}  // namespace

Status ar_info(Call& call) {
  Adaptive* adaptive = adaptive_of(call);
  if (adaptive == nullptr) return Status::bad_method_attribute;
  const bool capability = call.modifier == mad::kArInfoGetCapability;
  if (call.modifier != 0 && (!capability || call.set)) return Status::bad_value;
  ArInfo told = adaptive->info;
  if (call.set || capability) {
    const auto made = with(adaptive->info, mad::decode<ArInfo>(call.data), call.settings().adaptive);
    if (!made) return Status::bad_value;
    told = *made;
  }
  if (call.set) {
    // Groups of another size have other places in the table.
    if (sub_groups(told) != sub_groups(adaptive->info)) adaptive->elements.clear();
    adaptive->info = told;
  }
  call.data = mad::encode(told);
  return Status::ok;
}

Status ar_group_table(Call& call) {
  Adaptive* adaptive = adaptive_of(call);
  if (adaptive == nullptr) return Status::bad_method_attribute;
  const std::size_t first = std::size_t{call.modifier & kBlockBits} * 2;
  if (call.modifier > kBlockBits || first >= element_count(*adaptive)) return Status::bad_value;
  if (call.set) {
    const auto table = mad::decode<mad::ArGroupTable>(call.data);
    for (const std::size_t half : {0u, 1u}) {
      const mad::PortMask ports = mad::element_of(table, half);
      if (!good_ports(call, ports) || (ports.any() && first + half >= element_count(*adaptive)))
        return Status::bad_value;
    }
    for (const std::size_t half : {0u, 1u})
      if (first + half < element_count(*adaptive))
        put_element(*adaptive, first + half, mad::element_of(table, half));
  }
  mad::ArGroupTable told;
  for (const std::size_t half : {0u, 1u}) mad::set_element(told, half, element(*adaptive, first + half));
  call.data = mad::encode(told);
  return Status::ok;
}

Status ar_group_copy(Call& call) {
  Adaptive* adaptive = adaptive_of(call);
  if (adaptive == nullptr || adaptive->info.group_copy == 0 || !call.set) return Status::bad_method_attribute;
  constexpr std::uint32_t kGroupBits = 0xfff;
  const std::size_t source = call.modifier & kGroupBits;
  const auto copy = mad::decode<mad::ArGroupCopy>(call.data);
  const std::size_t cap = adaptive->info.group_cap;
  if ((call.modifier & ~(kGroupBits | mad::kArGroupCopyDirections)) != 0) return Status::bad_value;
  if (source >= cap || copy.first > copy.last || copy.last >= cap) return Status::bad_value;
  const std::size_t size = sub_groups(adaptive->info);
  for (std::size_t group = copy.first; group <= copy.last; ++group)
    for (std::size_t sub = 0; sub < size; ++sub)
      put_element(*adaptive, group * size + sub, group_ports(*adaptive, source, sub));
  return Status::ok;
}

Status ar_lft(Call& call) {
  constexpr std::size_t kStep = 1024;  // entries; doubling would waste half of the memory
  Adaptive* adaptive = adaptive_of(call);
  if (adaptive == nullptr) return Status::bad_method_attribute;
  const std::size_t plft = call.modifier >> kPlftShift;
  const std::size_t first = std::size_t{call.modifier & 0xffffffu} * mad::kArLftBlock;
  if (plft >= adaptive->tables.size() || first >= call.world.switch_of(call.node).info.lft_capacity)
    return Status::bad_value;
  std::vector<std::uint32_t>& table = adaptive->tables[plft];
  if (call.set) {
    const auto block = mad::decode<mad::ArLft>(call.data);
    for (const std::uint32_t packed : block.entries) {
      const mad::ArLftEntry entry = mad::ar_lft_entry(packed);
      if (entry.group >= adaptive->info.group_cap || entry.table != 0) return Status::bad_value;
    }
    const std::size_t end = first + mad::kArLftBlock;
    if (table.capacity() < end) table.reserve((end + kStep - 1) / kStep * kStep);
    if (table.size() < end) table.resize(end, mad::pack({}));
    std::ranges::copy(block.entries, table.begin() + static_cast<std::ptrdiff_t>(first));
    return Status::ok;  // the data is what is held
  }
  mad::ArLft told;
  told.entries.fill(mad::pack({}));
  if (first < table.size())
    std::copy_n(table.begin() + static_cast<std::ptrdiff_t>(first), told.entries.size(),
                told.entries.begin());
  call.data = mad::encode(told);
  return Status::ok;
}

Status plft_info(Call& call) {
  Adaptive* adaptive = adaptive_of(call);
  if (adaptive == nullptr || adaptive->tables.size() < 2) return Status::bad_method_attribute;
  if (call.modifier != 0) return Status::bad_value;
  if (call.set) {
    const auto wanted = mad::decode<mad::PlftInfo>(call.data);
    if (wanted.active_mode > adaptive->plft_info.modes) return Status::bad_value;
    adaptive->plft_info.active_mode = wanted.active_mode;
  }
  call.data = mad::encode(adaptive->plft_info);
  return Status::ok;
}

Status plft_table(Call& call) {
  Adaptive* adaptive = adaptive_of(call);
  if (adaptive == nullptr || adaptive->tables.size() < 2) return Status::bad_method_attribute;
  const std::size_t plfts = adaptive->tables.size();
  switch (call.attribute) {
    case AttrId::plft_def:
      if (std::size_t{call.modifier} * 16 >= plfts) return Status::bad_value;
      break;
    case AttrId::plft_map:
      if ((call.modifier & 0xffffff) != 0 || call.modifier >> kPlftShift >= plfts) return Status::bad_value;
      break;
    default: {
      if (call.modifier * 4ull > call.self().port_count) return Status::bad_value;
      const auto wanted = mad::decode<mad::PortSlToPlft>(call.data);
      const bool good = std::ranges::all_of(wanted.plft, [plfts](std::uint8_t id) { return id < plfts; });
      if (call.set && !good) return Status::bad_value;
      break;
    }
  }
  return keep(call, call.modifier);
}

/// Notifications, hashing and pFRN: kept as they come, where the switch offers them, block by block.
Status ar_extra(Call& call) {
  const Adaptive* adaptive = adaptive_of(call);
  if (adaptive == nullptr) return Status::bad_method_attribute;
  const std::size_t groups = adaptive->info.group_cap;
  const std::size_t ports = call.self().port_count;
  const ArProfile& profile = call.settings().adaptive;
  bool offered = profile.notifications;
  std::size_t blocks = 1;
  switch (call.attribute) {
    case AttrId::hbf_config:
      offered = profile.hbf;
      blocks = ports + 1;  // 0: for all
      break;
    case AttrId::whbf_config:
      offered = profile.hbf;
      blocks = (groups + 15) / 16;
      break;
    case AttrId::pfrn_config:
      offered = profile.pfrn;
      break;
    case AttrId::rn_gen_string:
      blocks = (adaptive->info.directions + 31u) / 32u;
      break;
    case AttrId::rn_rcv_string:
      blocks = 16;  // 256 strings
      break;
    case AttrId::rn_direction:
      blocks = (element_count(*adaptive) + 63) / 64;
      break;
    case AttrId::rn_xmit_ports:
      blocks = ports / 128 + 1;
      break;
    default:
      break;
  }
  if (!offered) return Status::bad_method_attribute;
  const std::size_t plft = call.attribute == AttrId::rn_gen_string ? call.modifier >> kPlftShift : 0;
  const std::uint32_t block =
      call.attribute == AttrId::rn_gen_string ? call.modifier & 0xffffff : call.modifier;
  if (plft >= adaptive->tables.size() || block >= blocks) return Status::bad_value;
  return keep(call, call.modifier);
}

}  // namespace weft::sim
