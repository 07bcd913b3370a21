#include "sa/aliases.h"

#include <algorithm>

#include "mad/port_info.h"
#include "sa/records.h"

namespace weft::sa {
namespace {

namespace status = mad::sa_status;

constexpr int kLidBit = 0;
constexpr int kBlockBit = 1;
constexpr int kFirstGuidBit = 4;
constexpr std::uint32_t kPerBlock = 8;
constexpr std::size_t kRecordSize = 72;
/// What the SA chooses begins so: locally administered, and ours.
constexpr std::uint64_t kChosen = 0x0a57454600000000;

/// A request about one block of one port's GUIDs, or why it is none.
struct GuidWish {
  const End* end = nullptr;
  std::uint32_t block = 0;
  std::uint16_t wrong = 0;
  bool asks(const Request& request, std::uint32_t entry) const {
    return (request.sa.component_mask & bit(kFirstGuidBit + static_cast<int>(entry))) != 0;
  }
};

GuidWish guid_wish_of(const Request& request, const Context& context) {
  GuidWish wish;
  const std::uint64_t mask = request.sa.component_mask;
  if ((mask & bit(kLidBit)) == 0 || (mask & bit(kBlockBit)) == 0) {
    wish.wrong = status::kInsufficientComponents;
    return wish;
  }
  wish.end = context.index.find(static_cast<Lid>(get_bits(request.data, 0, 16)));
  wish.block = request.data[2];
  if (wish.end == nullptr || !Sight(request, context).sees(*wish.end) ||
      wish.block >= guid_blocks(context, *wish.end))
    wish.wrong = status::kNoRecords;
  else if (wish.block == 0 && wish.asks(request, 0))
    wish.wrong = status::kInvalid;
  return wish;
}

bool in_use(const Context& context, const plan::SaState& state, Guid guid) {
  return state.aliases.contains(guid) || context.index.find(guid) != nullptr ||
         context.index.fabric().find(guid).has_value();
}

/// A function of the port and the place, as long as nobody else has it: who asks twice gets the same. Nothing
/// when all are in use.
std::optional<Guid> chosen(const Context& context, const plan::SaState& state, Guid port,
                           std::uint32_t index) {
  const std::uint64_t count = context.options.alias_guids;
  const std::uint64_t first = plan::spread(raw(port) ^ std::uint64_t{index} << 48) >> 32;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto guid = static_cast<Guid>(kChosen | (first + i) % count);
    if (!in_use(context, state, guid)) return guid;
  }
  return std::nullopt;
}

Answer tell_guids(const Request& request, const GuidWish& wish, const mad::GuidInfo& guids,
                  mad::Method method) {
  Answer answer;
  answer.method = method;
  answer.attribute = mad::SaAttr::guid_info_record;
  answer.offset = kRecordSize / 8;
  answer.data.assign(request.data.begin(), request.data.begin() + 8);
  answer.data.resize(kRecordSize);
  answer.data[2] = static_cast<std::uint8_t>(wish.block);
  encode_into(std::span<std::uint8_t>(answer.data).subspan(8), guids);
  return answer;
}

bool is_member(const plan::SaState& state, Guid guid) {
  bool found = false;
  state.groups.each([&](const plan::McGroup& group) { found = found || group.members.contains(guid); });
  return found;
}

}  // namespace

std::uint32_t guid_blocks(const Context& context, const End& end) {
  const Guid node = context.index.fabric().node(end.port.node).guid;
  const mad::AttrData* held = context.devices == nullptr
                                  ? nullptr
                                  : context.devices->find(node, mad::AttrId::port_info, raw(end.port.port));
  const std::uint32_t guids = held == nullptr ? 0 : mad::decode<mad::PortInfo>(*held).guid_cap;
  return std::max((guids + kPerBlock - 1) / kPerBlock, 1u);
}

mad::GuidInfo guid_block(const plan::SaState& state, Guid port, std::uint32_t block) {
  mad::GuidInfo info;
  if (const plan::SaState::PortGuids* guids = state.port_guids.find(port))
    for (std::uint32_t entry = 0; entry < kPerBlock; ++entry)
      if (block * kPerBlock + entry < (*guids)->size())
        info.guids[entry] = (**guids)[block * kPerBlock + entry];
  if (block == 0) info.guids[0] = port;
  return info;
}

void guid_info_records(const Context& context, Collector& records) {
  each_end(context, records, [&](const End& end) {
    const std::uint32_t blocks = guid_blocks(context, end);
    for (std::uint32_t block = 0; block < blocks && !records.enough(); ++block) {
      const std::span<std::uint8_t> record = records.begin();
      put_bits(record, 0, 16, raw(end.base));
      record[2] = static_cast<std::uint8_t>(block);
      encode_into(record.subspan(8), guid_block(context.state, end.guid, block));
      records.offer();
    }
  });
}

Answer set_guids(const Request& request, const Context& context) {
  const GuidWish wish = guid_wish_of(request, context);
  if (wish.wrong != 0) return refusal(request, wish.wrong);
  const auto asked = mad::decode<mad::GuidInfo>(request.data.subspan(8, 64));
  const mad::GuidInfo before = guid_block(context.state, wish.end->guid, wish.block);
  mad::GuidInfo told;
  plan::SaState next = context.state;
  for (std::uint32_t entry = 0; entry < kPerBlock; ++entry) {
    if (!wish.asks(request, entry)) continue;
    const std::uint32_t index = wish.block * kPerBlock + entry;
    Guid guid = asked.guids[entry];
    if (guid == Guid{}) guid = before.guids[entry];
    if (guid == Guid{}) {
      const auto free = chosen(context, next, wish.end->guid, index);
      if (!free) return refusal(request, status::kNoResources);
      guid = *free;
    }
    const bool taken = guid != before.guids[entry] && in_use(context, next, guid);
    if (taken) continue;
    told.guids[entry] = guid;
    if (guid != before.guids[entry])
      next = plan::with_alias(next, wish.end->guid, static_cast<std::uint16_t>(index), guid);
  }
  Answer answer = tell_guids(request, wish, told, mad::Method::get_resp);
  if (next == context.state) return answer;
  answer.state = std::move(next);
  answer.new_guids = wish.end->guid;
  return answer;
}

Answer delete_guids(const Request& request, const Context& context) {
  const GuidWish wish = guid_wish_of(request, context);
  if (wish.wrong != 0) return refusal(request, wish.wrong);
  const mad::GuidInfo before = guid_block(context.state, wish.end->guid, wish.block);
  plan::SaState next = context.state;
  for (std::uint32_t entry = 0; entry < kPerBlock; ++entry) {
    if (!wish.asks(request, entry) || before.guids[entry] == Guid{}) continue;
    if (is_member(context.state, before.guids[entry])) return refusal(request, status::kDenied);
    next = plan::with_alias(next, wish.end->guid, static_cast<std::uint16_t>(wish.block * kPerBlock + entry),
                            Guid{});
  }
  Answer answer =
      tell_guids(request, wish, guid_block(next, wish.end->guid, wish.block), mad::Method::delete_resp);
  if (next == context.state) return answer;
  answer.state = std::move(next);
  answer.new_guids = wish.end->guid;
  return answer;
}

}  // namespace weft::sa
