#include "sa/multicast.h"

#include <algorithm>
#include <set>

#include "mad/notice.h"
#include "mad/sa_records.h"
#include "sa/components.h"
#include "sa/rate.h"
#include "sa/records.h"

namespace weft::sa {
namespace {

using mad::McMemberRecord;
namespace status = mad::sa_status;
namespace join = mad::join;

/// Bits of an MCMemberRecord's component mask.
enum McBit {
  kMgid = 0,
  kPortGid,
  kQkey,
  kMlid,
  kMtuSelector,
  kMtu,
  kTclass,
  kPkey,
  kRateSelector,
  kRate,
  kLifetimeSelector,
  kLifetime,
  kSl,
  kFlowLabel,
  kHopLimit,
  kScope,
  kJoinState,
  kProxy
};
constexpr unsigned kFirstMlid = 0xc000;
constexpr unsigned kLastMlid = 0xfffe;
constexpr std::uint8_t kDefaultMtu = 4;   // 2048
constexpr std::uint8_t kDefaultRate = 3;  // 10 Gb/s
constexpr std::uint8_t kIpoibLifetime = 18;
constexpr std::uint32_t kIpoibQkey = 0x0b1b;
constexpr std::uint64_t kIpoibSignature = 0x401b;
constexpr std::uint64_t kSaSignature = 0xa01b;  // groups whose MGID the SA chooses

bool asks(const Request& request, int number) { return (request.sa.component_mask & bit(number)) != 0; }
unsigned signature(const Gid& mgid) { return static_cast<unsigned>(mgid[0] >> 32 & 0xffff); }
unsigned scope_of(const Gid& mgid) { return static_cast<unsigned>(mgid[0] >> 48 & 0xf); }
bool same_partition(Pkey a, Pkey b) { return ((raw(a) ^ raw(b)) & 0x7fff) == 0; }
/// Partitions are not planned yet: everybody is in the default one alone.
bool may_use(Pkey pkey) { return (raw(pkey) & 0x7fff) == (raw(kDefaultPkey) & 0x7fff); }

/// What the standard and RFC 4391 forbid of an MGID.
bool good_mgid(const Gid& mgid) {
  if (!is_multicast(mgid)) return false;
  const unsigned flags = static_cast<unsigned>(mgid[0] >> 52 & 0xf);
  if (flags > 1) return false;
  return signature(mgid) != kSaSignature || scope_of(mgid) != 2;
}

McMemberRecord record_of(const plan::McGroup& group) {
  McMemberRecord record;
  record.mgid = group.mgid;
  record.qkey = group.qkey;
  record.mlid = group.mlid;
  record.mtu_selector = record.rate_selector = record.lifetime_selector =
      static_cast<std::uint8_t>(Selector::exactly);
  record.mtu = raw(group.mtu);
  record.tclass = group.tclass;
  record.pkey = group.pkey;
  record.rate = group.rate;
  record.lifetime = group.lifetime;
  record.sl = group.sl;
  record.flow_label = group.flow_label;
  record.hop_limit = group.hop_limit;
  record.scope = static_cast<std::uint8_t>(scope_of(group.mgid));
  return record;
}

Answer tell(const McMemberRecord& record, mad::Method method) {
  Answer answer;
  answer.method = method;
  answer.attribute = mad::SaAttr::mc_member_record;
  answer.offset = 7;
  answer.data.resize(56);
  encode_into(std::span<std::uint8_t>(answer.data), record);
  return answer;
}

/// True when what the request says of a selected value holds for the group's.
bool fits(const Request& request, int selector_bit, int value_bit, std::uint8_t selector, std::uint8_t asked,
          std::uint8_t held, bool by_rate) {
  if (!asks(request, selector_bit) || !asks(request, value_bit)) return true;
  const int a = by_rate ? rate_speed(asked) : asked;
  const int h = by_rate ? rate_speed(held) : held;
  if (a == 0 && static_cast<Selector>(selector) != Selector::best && by_rate) return false;
  switch (static_cast<Selector>(selector)) {
    case Selector::greater:
      return h > a;
    case Selector::less:
      return h < a;
    case Selector::exactly:
      return h == a;
    default:
      return true;
  }
}

/// A join must not contradict the group that is there.
bool agrees(const Request& request, const McMemberRecord& asked, const plan::McGroup& group) {
  if (asks(request, kQkey) && asked.qkey != group.qkey) return false;
  if (asks(request, kPkey) && !same_partition(asked.pkey, group.pkey)) return false;
  if (asks(request, kSl) && asked.sl != group.sl) return false;
  if (asks(request, kMlid) && asked.mlid != group.mlid) return false;
  if (asks(request, kTclass) && asked.tclass != group.tclass) return false;
  if (asks(request, kFlowLabel) && asked.flow_label != group.flow_label) return false;
  return fits(request, kMtuSelector, kMtu, asked.mtu_selector, asked.mtu, raw(group.mtu), false) &&
         fits(request, kRateSelector, kRate, asked.rate_selector, asked.rate, group.rate, true) &&
         fits(request, kLifetimeSelector, kLifetime, asked.lifetime_selector, asked.lifetime, group.lifetime,
              false);
}

/// MTU, rate or lifetime of a new group: as asked, within what the port can.
std::optional<std::uint8_t> new_value(const Request& request, int selector_bit, int value_bit,
                                      std::uint8_t selector, std::uint8_t asked, std::uint8_t otherwise,
                                      std::uint8_t most, Pick (*pick)(Selector, std::uint8_t, std::uint8_t)) {
  if (!asks(request, selector_bit)) return otherwise;
  const auto chosen = static_cast<Selector>(selector);
  if (chosen == Selector::best) return most;
  if (!asks(request, value_bit)) return otherwise;
  const Pick picked = pick(chosen, asked, most);
  return picked.invalid ? std::nullopt : picked.value;
}

/// The fewest groups that any switch can hold.
unsigned mlid_capacity(const Context& context) {
  unsigned capacity = kLastMlid - kFirstMlid + 1;
  for (const NodeId n : context.index.fabric().switches())
    capacity = std::min<unsigned>(capacity, context.index.fabric().node(n).switch_facts.mft_capacity);
  return capacity;
}

/// The port a member record is about; nullptr, with the status, when there is none.
const End* member_port(const McMemberRecord& asked, const Context& context, std::uint16_t& wrong) {
  const Gid& gid = asked.port_gid;
  if (gid[0] != context.prefix && gid[0] != kLinkLocalPrefix) {
    wrong = status::kInvalidGid;
    return nullptr;
  }
  const End* port = context.index.find(interface_of(gid));
  if (port == nullptr) wrong = status::kInvalid;
  return port;
}

/// The slowest link and smallest MTU a member's port brings.
bool port_can(const End& port, const plan::McGroup& group) {
  return port.mtu >= raw(group.mtu) && (port.rate == 0 || rate_speed(port.rate) >= rate_speed(group.rate));
}

/// A group to be, or the status that refuses it.
struct Made {
  plan::McGroup group;
  std::uint16_t refused = 0;
};

Made new_group(const Request& request, const McMemberRecord& asked, const End& port, const Context& context) {
  const auto refused = [](std::uint16_t why) { return Made{{}, why}; };
  for (const int needed : {kQkey, kPkey, kSl, kFlowLabel, kTclass})
    if (!asks(request, needed)) return refused(status::kInsufficientComponents);
  // A group begins with one who receives, or sends as a full member.
  if ((asked.join_state & (join::kFull | join::kSendOnlyFull)) == 0) return refused(status::kInvalid);
  if (!may_use(asked.pkey)) return refused(status::kInvalid);
  plan::McGroup group;
  group.mgid = asked.mgid;
  if (group.mgid == Gid{}) {
    const std::uint64_t scope = asks(request, kScope) && asked.scope != 0 ? asked.scope : 2;
    group.mgid = {
        0xff10000000000000u | scope << 48 | kSaSignature << 32 | (context.prefix >> 32 & 0xffffffffu), 0};
    // Spread by what is there already, so that no long row of taken ones has to be passed.
    group.mgid[1] = context.state.groups->size();
    while (context.state.groups->contains(group.mgid)) ++group.mgid[1];
  } else if (!good_mgid(group.mgid)) {
    return refused(status::kInvalid);
  }
  const auto mtu = new_value(request, kMtuSelector, kMtu, asked.mtu_selector, asked.mtu,
                             std::min(kDefaultMtu, port.mtu), port.mtu, pick_mtu);
  const std::uint8_t port_rate = port.rate == 0 ? kDefaultRate : port.rate;
  const auto rate = new_value(
      request, kRateSelector, kRate, asked.rate_selector, asked.rate, kDefaultRate, port_rate,
      [](Selector selector, std::uint8_t code, std::uint8_t most) {
        // A group may be slower than the link.
        if (selector == Selector::exactly && rate_speed(code) != 0 && rate_speed(code) <= rate_speed(most))
          return Pick{false, code};
        return pick_rate(selector, code, most);
      });
  const auto lifetime = new_value(request, kLifetimeSelector, kLifetime, asked.lifetime_selector,
                                  asked.lifetime, 0, 63, pick_lifetime);
  if (!mtu || !rate || !lifetime) return refused(status::kInvalid);
  const auto broadcast = context.state.groups->find(
      ipoib_broadcast(asked.pkey, static_cast<std::uint8_t>(scope_of(group.mgid))));
  const bool ipoib = signature(group.mgid) == kIpoibSignature;
  if (ipoib && broadcast && (asked.qkey != broadcast->qkey || asked.sl != broadcast->sl))
    return refused(status::kInvalid);
  group.mtu = static_cast<Mtu>(*mtu);
  group.rate = *rate;
  group.lifetime = *lifetime;
  group.qkey = asked.qkey;
  group.pkey = static_cast<Pkey>(raw(asked.pkey) | 0x8000);
  group.sl = asked.sl;
  group.tclass = asked.tclass;
  group.flow_label = asked.flow_label;
  group.hop_limit = asks(request, kHopLimit) ? asked.hop_limit : std::uint8_t{0};
  const unsigned capacity = mlid_capacity(context);
  const bool wished = asks(request, kMlid) && raw(asked.mlid) >= kFirstMlid &&
                      raw(asked.mlid) < kFirstMlid + capacity && !context.state.groups->uses(asked.mlid);
  const std::optional<Lid> mlid =
      wished ? std::optional(asked.mlid) : context.state.groups->free_mlid(capacity);
  if (!mlid) return refused(status::kNoResources);
  group.mlid = *mlid;
  return {group, 0};
}

plan::SaState with_group(const plan::SaState& state, const plan::McGroup& group) {
  plan::SaState next = state;
  next.groups = std::make_shared<const plan::McGroups>(state.groups->with(group));
  return next;
}

plan::SaState without_group(const plan::SaState& state, const Gid& mgid) {
  plan::SaState next = state;
  next.groups = std::make_shared<const plan::McGroups>(state.groups->without(mgid));
  return next;
}

/// A group without a member that may receive has ended, unless it is ours.
bool over(const plan::McGroup& group) {
  if (group.permanent) return false;
  return std::ranges::none_of(group.members, [](const auto& member) {
    return (member.second.join_state & (join::kFull | join::kSendOnlyFull)) != 0;
  });
}

}  // namespace

Gid ipoib_broadcast(Pkey pkey, std::uint8_t scope) {
  const std::uint64_t full = raw(pkey) | 0x8000u;
  return {0xff10000000000000u | static_cast<std::uint64_t>(scope) << 48 | kIpoibSignature << 32 | full << 16,
          0xffffffffu};
}

void mc_member_records(const Context& context, Collector& records) {
  const Request& request = records.request();
  const auto asked = mad::decode<McMemberRecord>(request.data);
  const bool by_port = records.asks(kPortGid);
  records.settle(kPortGid);
  records.settle(kJoinState);
  const auto selected = [&](const plan::McGroup& group) {
    return fits(request, kMtuSelector, kMtu, asked.mtu_selector, asked.mtu, raw(group.mtu), false) &&
           fits(request, kRateSelector, kRate, asked.rate_selector, asked.rate, group.rate, true) &&
           fits(request, kLifetimeSelector, kLifetime, asked.lifetime_selector, asked.lifetime,
                group.lifetime, false);
  };
  context.state.groups->each([&](const plan::McGroup& group) {
    if (records.enough() || !selected(group)) return;
    // Members are for those who are trusted; others see the group.
    if (!request.trusted && !by_port) {
      encode_into(records.begin(), record_of(group));
      records.offer();
      return;
    }
    for (const auto& [guid, member] : group.members) {
      if (by_port && interface_of(asked.port_gid) != guid) continue;
      McMemberRecord record = record_of(group);
      record.port_gid = member.gid;
      if (request.trusted) record.join_state = member.join_state;
      if (request.trusted) record.proxy_join = member.proxy;
      encode_into(records.begin(), record);
      records.offer();
    }
  });
}

Answer join_group(const Request& request, const Context& context) {
  const auto asked = mad::decode<McMemberRecord>(request.data);
  for (const int needed : {kMgid, kPortGid, kJoinState})
    if (!asks(request, needed)) return refusal(request, status::kInsufficientComponents);
  if (asked.join_state == 0) return refusal(request, status::kInvalid);
  std::uint16_t wrong = 0;
  const End* port = member_port(asked, context, wrong);
  if (port == nullptr) return refusal(request, wrong);
  const auto found = context.state.groups->find(asked.mgid);
  const bool fresh = asked.mgid == Gid{} || !found;
  plan::McGroup group;
  if (fresh) {
    Made made = new_group(request, asked, *port, context);
    if (made.refused != 0) return refusal(request, made.refused);
    group = std::move(made.group);
  } else {
    group = *found;
    if (!agrees(request, asked, group)) return refusal(request, status::kInvalid);
  }
  if (!port_can(*port, group)) return refusal(request, status::kInvalid);
  plan::McMember& member = group.members[port->guid];
  const End* asker = context.index.find(request.from.lid);
  const bool known = member.join_state != 0;
  member.gid = asked.port_gid;
  member.join_state = static_cast<std::uint8_t>(member.join_state | asked.join_state);
  if (!known) member.proxy = asker == nullptr || asker->guid != port->guid;
  McMemberRecord told = record_of(group);
  told.port_gid = asked.port_gid;
  told.join_state = member.join_state;
  told.proxy_join = member.proxy;
  Answer answer = tell(told, mad::Method::get_resp);
  const bool changed = fresh || group != *found;
  if (changed) answer.state = with_group(context.state, group);
  if (fresh) answer.events.push_back({raw(mad::TrapNumber::multicast_group_created), group.mgid, group.pkey});
  return answer;
}

Answer leave_group(const Request& request, const Context& context) {
  const auto asked = mad::decode<McMemberRecord>(request.data);
  for (const int needed : {kMgid, kPortGid, kJoinState})
    if (!asks(request, needed)) return refusal(request, status::kInsufficientComponents);
  const auto found = context.state.groups->find(asked.mgid);
  if (!found) return refusal(request, status::kInvalid);
  plan::McGroup group = *found;
  const auto member = group.members.find(interface_of(asked.port_gid));
  if (member == group.members.end()) return refusal(request, status::kInvalid);
  const std::uint8_t held = member->second.join_state;
  if (asked.join_state == 0 || (asked.join_state & ~held) != 0) return refusal(request, status::kInvalid);
  const auto left = static_cast<std::uint8_t>(held & ~asked.join_state);
  McMemberRecord told = record_of(group);
  told.port_gid = asked.port_gid;
  told.join_state = left;
  told.proxy_join = member->second.proxy;
  if (left == 0)
    group.members.erase(member);
  else
    member->second.join_state = left;
  Answer answer = tell(told, mad::Method::delete_resp);
  if (over(group)) {
    answer.state = without_group(context.state, group.mgid);
    answer.events.push_back({raw(mad::TrapNumber::multicast_group_deleted), group.mgid, group.pkey});
  } else {
    answer.state = with_group(context.state, group);
  }
  return answer;
}

std::optional<plan::SaState> with_own_groups(const plan::SaState& state) {
  const Gid mgid = ipoib_broadcast(kDefaultPkey);
  if (state.groups->contains(mgid)) return std::nullopt;
  plan::McGroup group;
  group.mgid = mgid;
  group.qkey = kIpoibQkey;
  group.pkey = kDefaultPkey;
  group.mtu = static_cast<Mtu>(kDefaultMtu);
  group.rate = kDefaultRate;
  group.lifetime = kIpoibLifetime;
  group.permanent = true;
  group.mlid = *state.groups->free_mlid(plan::McGroups::kMlids);
  return with_group(state, group);
}

std::optional<plan::SaState> without_ports(const plan::SaState& state, const std::vector<Guid>& gone,
                                           std::vector<Event>& events) {
  std::optional<plan::SaState> next;
  state.groups->each([&](const plan::McGroup& group) {
    plan::McGroup kept = group;
    for (const Guid guid : gone) kept.members.erase(guid);
    if (kept.members.size() == group.members.size()) return;
    const plan::SaState& base = next ? *next : state;
    if (over(kept)) {
      next = without_group(base, group.mgid);
      events.push_back({raw(mad::TrapNumber::multicast_group_deleted), group.mgid, kept.pkey});
    } else {
      next = with_group(base, kept);
    }
  });
  return next;
}

}  // namespace weft::sa
