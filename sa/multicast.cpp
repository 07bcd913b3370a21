#include "sa/multicast.h"

#include <algorithm>

#include <fmt/format.h>

#include "mad/notice.h"
#include "mad/sa_records.h"
#include "partitions/tables.h"
#include "sa/components.h"
#include "sa/group_care.h"
#include "sa/rate.h"
#include "sa/records.h"

namespace weft::sa {
namespace {

using mad::McMemberRecord;
namespace status = mad::sa_status;
namespace join = mad::join;

/// Bits of an MCMemberRecord's component mask.
enum McBit {
  kMcMgid = 0,
  kMcPortGid,
  kMcQkey,
  kMcMlid,
  kMcMtuSelector,
  kMcMtu,
  kMcTclass,
  kMcPkey,
  kMcRateSelector,
  kMcRate,
  kMcLifetimeSelector,
  kMcLifetime,
  kMcSl,
  kMcFlowLabel,
  kMcHopLimit,
  kMcScope,
  kMcJoinState,
  kMcProxy
};
constexpr unsigned kFirstMlid = 0xc000;
constexpr unsigned kLastMlid = 0xfffe;
constexpr std::uint8_t kDefaultMtu = 4;   // 2048
constexpr std::uint8_t kDefaultRate = 3;  // 10 Gb/s
constexpr std::uint64_t kIpoibSignature = 0x401b;
constexpr std::uint64_t kSaSignature = plan::McGroups::kChosenSignature;

bool mc_asks(const Request& request, int number) { return (request.sa.component_mask & bit(number)) != 0; }
unsigned signature(const Gid& mgid) { return static_cast<unsigned>(mgid[0] >> 32 & 0xffff); }
unsigned scope_of(const Gid& mgid) { return static_cast<unsigned>(mgid[0] >> 48 & 0xf); }
bool same_partition(Pkey a, Pkey b) { return ((raw(a) ^ raw(b)) & 0x7fff) == 0; }
/// Whether a port is in the partition of a key.
bool may_use(const End& port, Pkey pkey) { return partitions::key_in(port.keys, pkey).has_value(); }

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
  if (!mc_asks(request, selector_bit) || !mc_asks(request, value_bit)) return true;
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

/// In what a join contradicts the group that is there; empty when it does not.
std::string disagreement(const Request& request, const McMemberRecord& asked, const plan::McGroup& group) {
  const auto differ = [](std::string_view what, auto wanted, auto held) {
    return fmt::format("{} {:#x} is not the group's {:#x}", what, wanted, held);
  };
  if (mc_asks(request, kMcQkey) && asked.qkey != group.qkey) return differ("Q_Key", asked.qkey, group.qkey);
  if (mc_asks(request, kMcPkey) && !same_partition(asked.pkey, group.pkey))
    return differ("P_Key", raw(asked.pkey), raw(group.pkey));
  if (mc_asks(request, kMcSl) && asked.sl != group.sl) return differ("SL", raw(asked.sl), raw(group.sl));
  if (mc_asks(request, kMcMlid) && asked.mlid != group.mlid)
    return differ("MLID", raw(asked.mlid), raw(group.mlid));
  if (mc_asks(request, kMcTclass) && asked.tclass != group.tclass)
    return differ("TClass", asked.tclass, group.tclass);
  if (mc_asks(request, kMcFlowLabel) && asked.flow_label != group.flow_label)
    return differ("FlowLabel", asked.flow_label, group.flow_label);
  if (!fits(request, kMcMtuSelector, kMcMtu, asked.mtu_selector, asked.mtu, raw(group.mtu), false))
    return fmt::format("the group's MTU {} is not what is asked for", 128 << raw(group.mtu));
  if (!fits(request, kMcRateSelector, kMcRate, asked.rate_selector, asked.rate, group.rate, true))
    return fmt::format("the group's rate {} is not what is asked for",
                       rate_speed_text(rate_speed(group.rate)));
  if (!fits(request, kMcLifetimeSelector, kMcLifetime, asked.lifetime_selector, asked.lifetime,
            group.lifetime, false))
    return fmt::format("the group's packet lifetime code {} is not what is asked for", group.lifetime);
  return {};
}

/// MTU, rate or lifetime of a new group: as asked, within what the port can.
std::optional<std::uint8_t> new_value(const Request& request, int selector_bit, int value_bit,
                                      std::uint8_t selector, std::uint8_t asked, std::uint8_t otherwise,
                                      std::uint8_t most, Pick (*pick)(Selector, std::uint8_t, std::uint8_t)) {
  if (!mc_asks(request, selector_bit)) return otherwise;
  const auto chosen = static_cast<Selector>(selector);
  if (chosen == Selector::best) return most;
  if (!mc_asks(request, value_bit)) return otherwise;
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

/// IPv6's solicited-node groups, one for about every interface: FF12:601B:<P_Key>::1:FFxx:xxxx. Packets of
/// others do no harm there, since IPv6 looks at the address within. Source: RFC 4391, 4; RFC 4291, 2.7.1.
bool is_solicited_node(const Gid& mgid) {
  constexpr unsigned kIpv6Signature = 0x601b;
  return signature(mgid) == kIpv6Signature && (mgid[0] & 0xffff) == 0 && mgid[1] >> 24 == 0x1ff;
}

/// The MLID that the fewest groups use, of those whose groups are solicited-node groups with the same packet
/// properties; the lower of equals. Cost: O(groups).
std::optional<Lid> least_used_mlid(const plan::SaState& state, const plan::McGroup& like) {
  std::optional<Lid> best;
  state.groups.each([&](const plan::McGroup& group) {
    const bool fits_in = is_solicited_node(group.mgid) && group.pkey == like.pkey && group.sl == like.sl &&
                         group.mtu == like.mtu && group.rate == like.rate;
    if (!fits_in) return;
    const auto rank = [&state](Lid mlid) { return std::pair(state.groups.users(mlid), mlid); };
    if (!best || rank(group.mlid) < rank(*best)) best = group.mlid;
  });
  return best;
}

/// The multicast LID of a new group: the one wished for where it is free, else the lowest that is, or one
/// that is shared.
std::optional<Lid> mlid_for(const plan::McGroup& group, Lid wished, const Context& context) {
  const plan::McGroups& groups = context.state.groups;
  const bool may_share =
      context.options.share_mlids != plan::ShareMlids::never && is_solicited_node(group.mgid);
  const auto shared = [&] { return may_share ? least_used_mlid(context.state, group) : std::nullopt; };
  if (context.options.share_mlids == plan::ShareMlids::always)
    if (const std::optional<Lid> mlid = shared()) return mlid;
  const unsigned capacity = mlid_capacity(context);
  if (raw(wished) >= kFirstMlid && raw(wished) < kFirstMlid + capacity && !groups.uses(wished)) return wished;
  const std::optional<Lid> free = groups.free_mlid(capacity);
  return free ? free : shared();
}

/// The port a member record is about; nullptr, with the status, when there is none that the requester may
/// see.
const End* member_port(const McMemberRecord& asked, const Context& context, const Sight& sight,
                       std::uint16_t& wrong) {
  const Gid& gid = asked.port_gid;
  if (gid[0] != context.prefix && gid[0] != kLinkLocalPrefix) {
    wrong = status::kInvalidGid;
    return nullptr;
  }
  const End* port = find_end(context, interface_of(gid));
  if (port != nullptr && sight.sees(*port)) return port;
  wrong = status::kInvalid;
  return nullptr;
}

/// What a port lacks for a group; empty when it can.
std::string shortage(const Context& context, const End& port, const plan::McGroup& group) {
  const std::string& name = context.index.fabric().node(port.port.node).description;
  if (!may_use(port, group.pkey))
    return fmt::format("{} is not in the partition of P_Key {:#x}", name, raw(group.pkey));
  if (port.mtu < raw(group.mtu))
    return fmt::format("MTU {} of {} below the group's {}", 128 << port.mtu, name, 128 << raw(group.mtu));
  if (!group.follows_slowest && port.rate != 0 && rate_speed(port.rate) < rate_speed(group.rate))
    return fmt::format("rate {} of {} below the group's {}", rate_speed_text(rate_speed(port.rate)), name,
                       rate_speed_text(rate_speed(group.rate)));
  return {};
}

/// A port that is gone may be spoken for by anybody; its membership ends soon.
bool may_leave(const Request& request, const Context& context, const McMemberRecord& asked) {
  const End* port = find_end(context, interface_of(asked.port_gid));
  return port == nullptr || Sight(request, context).sees(*port);
}

Answer no(const Request& request, std::uint16_t status, std::string why) {
  Answer answer = refusal(request, status);
  answer.why = std::move(why);
  return answer;
}

/// A group to be, or the status that refuses it.
struct Made {
  plan::McGroup group;
  std::uint16_t refused = 0;
  std::string why;
};

Made new_group(const Request& request, const McMemberRecord& asked, const End& port, const Context& context) {
  const auto refused = [](std::uint16_t status, std::string why) { return Made{{}, status, std::move(why)}; };
  for (const int needed : {kMcQkey, kMcPkey, kMcSl, kMcFlowLabel, kMcTclass})
    if (!mc_asks(request, needed))
      return refused(status::kInsufficientComponents,
                     "a new group needs Q_Key, P_Key, SL, FlowLabel and TClass");
  // A group begins with one who receives, or sends as a full member.
  if ((asked.join_state & (join::kFull | join::kSendOnlyFull)) == 0)
    return refused(status::kInvalid, "the first member must be a full one");
  if (!may_use(port, asked.pkey))
    return refused(status::kInvalid, fmt::format("P_Key {:#x} is not the port's", raw(asked.pkey)));
  plan::McGroup group;
  group.mgid = asked.mgid;
  if (group.mgid == Gid{}) {
    const std::uint64_t scope = mc_asks(request, kMcScope) && asked.scope != 0 ? asked.scope : 2;
    group.mgid = {
        0xff10000000000000u | scope << 48 | kSaSignature << 32 | (context.prefix >> 32 & 0xffffffffu), 0};
    group.mgid[1] = context.state.groups.last_number(group.mgid[0]) + 1;
  } else if (!good_mgid(group.mgid)) {
    return refused(status::kInvalid, "no such MGID is allowed");
  }
  const auto mtu = new_value(request, kMcMtuSelector, kMcMtu, asked.mtu_selector, asked.mtu,
                             std::min(kDefaultMtu, port.mtu), port.mtu, pick_mtu);
  const std::uint8_t port_rate =
      rate_within(port.rate == 0 ? kDefaultRate : port.rate, context.options.max_rate);
  const auto rate = new_value(
      request, kMcRateSelector, kMcRate, asked.rate_selector, asked.rate,
      rate_within(kDefaultRate, context.options.max_rate), port_rate,
      [](Selector selector, std::uint8_t code, std::uint8_t most) {
        // A group may be slower than the link.
        if (selector == Selector::exactly && rate_speed(code) != 0 && rate_speed(code) <= rate_speed(most))
          return Pick{false, code};
        return pick_rate(selector, code, most);
      });
  const auto lifetime = new_value(request, kMcLifetimeSelector, kMcLifetime, asked.lifetime_selector,
                                  asked.lifetime, 0, 63, pick_lifetime);
  if (!mtu || !rate || !lifetime)
    return refused(status::kInvalid, "MTU, rate or lifetime is none, or more than the port can");
  const auto broadcast =
      context.state.groups.find(ipoib_broadcast(asked.pkey, static_cast<std::uint8_t>(scope_of(group.mgid))));
  const bool ipoib = signature(group.mgid) == kIpoibSignature;
  if (ipoib && broadcast && (asked.qkey != broadcast->qkey || asked.sl != broadcast->sl))
    return refused(status::kInvalid, "Q_Key or SL is not the broadcast group's");
  if (!context.index.is_for_groups(asked.sl))
    return refused(status::kInvalid,
                   fmt::format("SL {} is for a layer of routing; groups have SL 0", raw(asked.sl)));
  group.mtu = static_cast<Mtu>(*mtu);
  group.rate = *rate;
  group.lifetime = *lifetime;
  group.qkey = asked.qkey;
  group.pkey = static_cast<Pkey>(raw(asked.pkey) | 0x8000);
  group.sl = asked.sl;
  group.tclass = asked.tclass;
  group.flow_label = asked.flow_label;
  group.hop_limit = mc_asks(request, kMcHopLimit) ? asked.hop_limit : std::uint8_t{0};
  const std::optional<Lid> mlid = mlid_for(group, mc_asks(request, kMcMlid) ? asked.mlid : Lid{}, context);
  if (!mlid) return refused(status::kNoResources, "no multicast LID is free");
  group.mlid = *mlid;
  return {group, 0, {}};
}

}  // namespace

void mc_member_records(const Context& context, Collector& records) {
  const Request& request = records.request();
  const auto asked = mad::decode<McMemberRecord>(request.data);
  const bool by_port = records.asks(kMcPortGid);
  records.settle(kMcPortGid);
  const bool by_join_state = records.asks(kMcJoinState);
  records.settle(kMcJoinState);
  const auto selected = [&](const plan::McGroup& group) {
    return fits(request, kMcMtuSelector, kMcMtu, asked.mtu_selector, asked.mtu, raw(group.mtu), false) &&
           fits(request, kMcRateSelector, kMcRate, asked.rate_selector, asked.rate, group.rate, true) &&
           fits(request, kMcLifetimeSelector, kMcLifetime, asked.lifetime_selector, asked.lifetime,
                group.lifetime, false);
  };
  const auto tell_group = [&](const plan::McGroup& group) {
    if (records.enough() || !records.sight().is_in(group.pkey) || !selected(group)) return;
    // Members are for those who are trusted; others see the group.
    if (!request.trusted && !by_port) {
      encode_into(records.begin(), record_of(group));
      records.offer();
      return;
    }
    const auto tell_member = [&](Guid, const plan::McMember& member) {
      if (records.enough()) return;
      const bool holds = (member.join_state & asked.join_state) == asked.join_state;
      if (request.trusted && by_join_state && !holds) return;
      McMemberRecord record = record_of(group);
      record.port_gid = member.gid;
      if (request.trusted) record.join_state = member.join_state;
      if (request.trusted) record.proxy_join = member.proxy;
      encode_into(records.begin(), record);
      records.offer();
    };
    if (!by_port) return group.members.each(tell_member);
    const Guid guid = interface_of(asked.port_gid);
    if (const plan::McMember* member = group.members.find(guid)) tell_member(guid, *member);
  };
  if (records.asks(kMcMgid)) {
    if (const auto group = context.state.groups.find(asked.mgid)) tell_group(*group);
    return;
  }
  // By rising MGID: who can take in the beginning alone sees the same beginning each time.
  std::vector<plan::McGroups::GroupPtr> groups;
  context.state.groups.map().each([&groups](const Gid&, const auto& group) { groups.push_back(group); });
  std::ranges::sort(groups, {}, [](const auto& group) { return group->mgid; });
  for (const auto& group : groups) tell_group(*group);
}

Answer join_group(const Request& request, const Context& context) {
  const auto asked = mad::decode<McMemberRecord>(request.data);
  for (const int needed : {kMcMgid, kMcPortGid, kMcJoinState})
    if (!mc_asks(request, needed))
      return no(request, status::kInsufficientComponents, "MGID, PortGID and JoinState must be given");
  if (asked.join_state == 0) return no(request, status::kInvalid, "JoinState 0");
  std::uint16_t wrong = 0;
  const Sight sight(request, context);
  const End* port = member_port(asked, context, sight, wrong);
  if (port == nullptr) return no(request, wrong, "PortGID " + to_string(asked.port_gid) + " is nobody's");
  const auto found = context.state.groups.find(asked.mgid);
  const bool fresh = asked.mgid == Gid{} || !found;
  plan::McGroup group;
  if (fresh) {
    Made made = new_group(request, asked, *port, context);
    if (made.refused != 0)
      return no(
          request, made.refused,
          fmt::format("there is no group {}, and it cannot be made: {}", to_string(asked.mgid), made.why));
    group = std::move(made.group);
  } else {
    group = *found;
    if (const std::string why = disagreement(request, asked, group); !why.empty())
      return no(request, status::kInvalid, why);
  }
  if (const std::string why = shortage(context, *port, group); !why.empty())
    return no(request, status::kInvalid, why);
  const Guid guid = interface_of(asked.port_gid);  // an alias is a member of its own
  const plan::McMember* held = group.members.find(guid);
  plan::McMember member = held == nullptr ? plan::McMember{} : *held;
  const bool known = member.join_state != 0;
  member.gid = asked.port_gid;
  member.join_state = static_cast<std::uint8_t>(member.join_state | asked.join_state);
  if (!known) member.proxy = sight.asker() != port;
  const bool changed = fresh || held == nullptr || *held != member;
  if (changed) group.members.set(guid, member);
  group = at_its_rate(std::move(group), context);
  McMemberRecord told = record_of(group);
  told.port_gid = asked.port_gid;
  told.join_state = member.join_state;
  told.proxy_join = member.proxy;
  Answer answer = tell(told, mad::Method::get_resp);
  if (changed) {
    answer.state = context.state;
    answer.state->groups = context.state.groups.with(group);
  }
  if (fresh)
    answer.events.push_back({raw(mad::TrapNumber::multicast_group_created), group.mgid, {group.pkey}});
  return answer;
}

Answer leave_group(const Request& request, const Context& context) {
  const auto asked = mad::decode<McMemberRecord>(request.data);
  for (const int needed : {kMcMgid, kMcPortGid, kMcJoinState})
    if (!mc_asks(request, needed)) return refusal(request, status::kInsufficientComponents);
  const auto found = context.state.groups.find(asked.mgid);
  if (!found) return refusal(request, status::kInvalid);
  plan::McGroup group = *found;
  const Guid guid = interface_of(asked.port_gid);
  const plan::McMember* found_member = group.members.find(guid);
  if (found_member == nullptr || !may_leave(request, context, asked))
    return refusal(request, status::kInvalid);
  plan::McMember member = *found_member;
  const std::uint8_t held = member.join_state;
  if (asked.join_state == 0 || (asked.join_state & ~held) != 0) return refusal(request, status::kInvalid);
  const auto left = static_cast<std::uint8_t>(held & ~asked.join_state);
  McMemberRecord told = record_of(group);
  told.port_gid = asked.port_gid;
  told.join_state = left;
  told.proxy_join = member.proxy;
  member.join_state = left;
  if (left == 0)
    group.members.erase(guid);
  else
    group.members.set(guid, member);
  Answer answer = tell(told, mad::Method::delete_resp);
  answer.state = with_members(context.state, at_its_rate(std::move(group), context), answer.events);
  return answer;
}

}  // namespace weft::sa
