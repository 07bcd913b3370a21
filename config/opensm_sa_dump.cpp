#include "config/opensm_sa_dump.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/bytes.h"
#include "plan/registrations.h"

namespace weft::config {
namespace {

constexpr std::uint32_t kForEver = 0xffffffff;
constexpr std::string_view kNobody = "its port GUID is 0, which is nobody's";
constexpr std::uint16_t kFirstSecurityTrap = 256;
constexpr std::uint16_t kLastSecurityTrap = 259;
constexpr unsigned kGuidsABlock = 8;
constexpr unsigned kMostBlocks = 255;

/// The values of a line, one after the other, as OpenSM looks for them: each behind the one before it.
class Values {
 public:
  explicit Values(std::string_view line) : line_(line) {}

  /// After ` key=0x`.
  std::uint64_t number(std::string_view key, std::uint64_t most) {
    return after(fmt::format(" {}=0x", key), key, most);
  }
  std::uint64_t word(std::string_view key) { return number(key, ~std::uint64_t{0}); }
  /// `key=0x...:0x...`
  std::array<std::uint64_t, 2> two(std::string_view key) {
    const std::uint64_t first = word(key);
    return {first, after(":0x", key, ~std::uint64_t{0})};
  }
  /// Between quotes; these may stand in it, too, so that what follows is looked for.
  std::string_view quoted(std::string_view key, std::string_view next) {
    const std::size_t begin = line_.find(fmt::format(" {}='", key), at_);
    const std::size_t end = line_.rfind(fmt::format("' {}=", next));
    const std::size_t skip = key.size() + 3;
    if (begin == line_.npos || end == line_.npos || end < begin + skip)
      return refuse(key), std::string_view();
    at_ = end + 1;
    return line_.substr(begin + skip, end - begin - skip);
  }
  bool good() const { return missing_.empty(); }
  std::string why() const {
    return fmt::format("expects {} in its place, as OpenSM 3.3 writes it", missing_);
  }

 private:
  void refuse(std::string_view key) {
    if (missing_.empty()) missing_ = key;
  }
  std::uint64_t after(std::string_view mark, std::string_view key, std::uint64_t most) {
    const std::size_t found = line_.find(mark, at_);
    if (found == line_.npos) return refuse(key), 0;
    const char* begin = line_.data() + found + mark.size();
    const char* end = line_.data() + line_.size();
    std::uint64_t value = 0;
    const auto [stop, error] = std::from_chars(begin, end, value, 16);
    if (error != std::errc() || value > most || (stop != end && *stop != ' ' && *stop != ':'))
      return refuse(key), 0;
    at_ = static_cast<std::size_t>(stop - line_.data());
    return value;
  }

  std::string_view line_;
  std::size_t at_ = 0;
  std::string missing_;
};

template <std::size_t Size>
void put_text(std::array<std::uint8_t, Size>& to, std::string_view text) {
  text = text.substr(0, text.find('\0'));
  std::copy_n(text.begin(), std::min(text.size(), Size - 1), to.begin());
}

std::uint64_t word_of(const plan::Service& service, std::size_t which) {
  return get_bits(service.data, which * 64, 64);
}

}  // namespace

SaDumpReader::Line SaDumpReader::take(std::string_view line) {
  if (line.starts_with("mcm_port")) return take_member(line);
  group_.reset();
  if (line.starts_with("MC Group")) return take_group(line);
  if (line.starts_with("Service Record:")) return take_service(line);
  if (line.starts_with("InformInfo Record:")) return take_subscription(line);
  if (line.starts_with("GUIDInfo Record:")) return take_aliases(line);
  return {Fate::dropped, "no record of OpenSM 3.3"};
}

plan::SaState SaDumpReader::state() const {
  plan::SaState state = state_;
  for (const auto& [port, all] : subscriptions_)
    state.subscriptions.set(port, std::make_shared<const std::vector<plan::Subscription>>(all));
  return state;
}

SaDumpReader::Line SaDumpReader::take_group(std::string_view line) {
  Values values(line);
  plan::McGroup group;
  group.permanent = line.find("(well known)") < line.find(" mgid=");
  group.mgid = values.two("mgid");
  (void)values.two("port_gid");  // who made it
  group.qkey = static_cast<std::uint32_t>(values.number("qkey", 0xffffffff));
  group.mlid = static_cast<Lid>(values.number("mlid", 0xffff));
  group.mtu = static_cast<Mtu>(values.number("mtu", 0xff) & 0x3f);  // without the selector, as below
  group.tclass = static_cast<std::uint8_t>(values.number("tclass", 0xff));
  group.pkey = static_cast<Pkey>(values.number("pkey", 0xffff));
  group.rate = static_cast<std::uint8_t>(values.number("rate", 0xff) & 0x3f);
  group.lifetime = static_cast<std::uint8_t>(values.number("pkt_life", 0xff) & 0x3f);
  const std::uint64_t sl_flow_hop = values.number("sl_flow_hop", 0xffffffff);
  group.sl = static_cast<Sl>(sl_flow_hop >> 28);
  group.flow_label = static_cast<std::uint32_t>(sl_flow_hop >> 8 & 0xfffff);
  group.hop_limit = static_cast<std::uint8_t>(sl_flow_hop & 0xff);
  if (!values.good()) return {Fate::dropped, values.why()};
  if (std::string why = plan::why_not(group); !why.empty()) return {Fate::dropped, std::move(why)};
  if (state_.groups.contains(group.mgid)) return {Fate::dropped, "this group stands here before"};
  group_ = group.mgid;
  const std::string became = fmt::format("registrations.groups: MLID 0x{:04x}", raw(group.mlid));
  state_.groups = state_.groups.with(std::move(group));
  return {Fate::mapped, became};
}

SaDumpReader::Line SaDumpReader::take_member(std::string_view line) {
  if (!group_) return {Fate::dropped, "the group that it is a member of is not taken over"};
  Values values(line);
  plan::McMember member;
  member.gid = values.two("port_gid");
  member.join_state = static_cast<std::uint8_t>(values.number("scope_state", 0xff) & 0xf);
  member.proxy = values.number("proxy_join", 0xff) != 0;
  if (!values.good()) return {Fate::dropped, values.why()};
  if (std::string why = plan::why_not(interface_of(member.gid), member); !why.empty())
    return {Fate::dropped, std::move(why)};
  plan::McGroup group = *state_.groups.find(*group_);
  if (group.members.contains(interface_of(member.gid)))
    return {Fate::dropped, "this member stands here before"};
  group.members.set(interface_of(member.gid), member);
  state_.groups = state_.groups.with(std::move(group));
  return {Fate::mapped, "registrations.groups: a member"};
}

SaDumpReader::Line SaDumpReader::take_service(std::string_view line) {
  Values values(line);
  plan::Service service;
  service.id = values.word("id");
  service.gid = values.two("gid");
  service.pkey = static_cast<Pkey>(values.number("pkey", 0xffff));
  service.lease = static_cast<std::uint32_t>(values.number("lease", kForEver));
  service.key = values.two("key");
  put_text(service.name, values.quoted("name", "data8"));
  std::size_t place = 0;
  for (const std::string_view key : {"data8", "data16", "data32", "data64"})
    for (const std::uint64_t word : values.two(key))
      put_bits(std::span<std::uint8_t>(service.data), 64 * place++, 64, word);
  const auto modified = static_cast<std::int64_t>(values.number("modified_time", 0xffffffff));
  const std::uint64_t left = values.number("lease_period", kForEver);
  if (!values.good()) return {Fate::dropped, values.why()};
  service.expires = left == kForEver ? 0 : modified + static_cast<std::int64_t>(left);
  if (left == kForEver) service.lease = kForEver;
  const plan::ServiceKey key{service.id, service.gid, service.pkey};
  if (state_.services.contains(key)) return {Fate::dropped, "this service stands here before"};
  state_.services.set(key, std::make_shared<const plan::Service>(service));
  return {Fate::mapped,
          left == kForEver ? "registrations.services" : "registrations.services, until its lease ends"};
}

SaDumpReader::Line SaDumpReader::take_subscription(std::string_view line) {
  Values values(line);
  plan::Subscription one;
  one.subscriber = values.two("subscriber_gid");
  one.gid = values.two("gid");
  one.lid_begin = static_cast<Lid>(values.number("lid_range_begin", 0xffff));
  one.lid_end = static_cast<Lid>(values.number("lid_range_end", 0xffff));
  if (one.lid_end == kLidNone) one.lid_end = one.lid_begin;
  one.generic = values.number("is_generic", 1) != 0;
  (void)values.number("subscribe", 1);
  one.type = static_cast<std::uint16_t>(values.number("trap_type", 0xffff));
  one.trap = static_cast<std::uint16_t>(values.number("trap_num", 0xffff));
  one.producer = static_cast<std::uint32_t>(values.number("node_type", 0xffffff));
  one.lid = static_cast<Lid>(values.number("lid", 0xffff));
  one.qp = static_cast<std::uint32_t>(values.number("remote_qp", 0xffffff));
  one.sl = static_cast<Sl>(values.number("sl", 15));
  if (!values.good()) return {Fate::dropped, values.why()};
  // OpenSM takes these from those only who have shown its SM_Key.
  one.trusted = one.generic && one.trap >= kFirstSecurityTrap && one.trap <= kLastSecurityTrap;
  const Guid port = interface_of(one.subscriber);
  if (port == Guid{}) return {Fate::dropped, std::string(kNobody)};
  std::vector<plan::Subscription>& all = subscriptions_[port];
  if (std::ranges::find(all, one) != all.end())
    return {Fate::dropped, "this subscription stands here before"};
  if (all.size() == plan::kMostSubscriptionsOfAPort)
    return {Fate::dropped,
            fmt::format("more than {} subscriptions of one port", plan::kMostSubscriptionsOfAPort)};
  all.push_back(one);
  return {Fate::mapped, "registrations.subscriptions"};
}

SaDumpReader::Line SaDumpReader::take_aliases(std::string_view line) {
  Values values(line);
  const auto port = static_cast<Guid>(values.word("base_guid"));
  const auto block = static_cast<unsigned>(values.number("block_num", kMostBlocks - 1));
  std::array<Guid, kGuidsABlock> guids{};
  for (unsigned i = 0; i < kGuidsABlock; ++i)
    guids[i] = static_cast<Guid>(values.word(fmt::format("guid{}", i)));
  if (!values.good()) return {Fate::dropped, values.why()};
  if (port == Guid{}) return {Fate::dropped, std::string(kNobody)};
  std::vector<unsigned> taken;
  std::vector<std::string> others;
  for (unsigned i = 0; i < kGuidsABlock; ++i) {
    const unsigned index = block * kGuidsABlock + i;
    if (index == 0 || guids[i] == Guid{}) continue;  // 0 is the port's own
    if (state_.aliases.contains(guids[i])) {
      others.push_back(to_string(guids[i]));
      continue;
    }
    state_ = plan::with_alias(state_, port, static_cast<std::uint16_t>(index), guids[i]);
    taken.push_back(index);
  }
  const std::string without =
      others.empty() ? std::string() : fmt::format("{} stands here before", fmt::join(others, ", "));
  if (taken.empty() && others.empty()) return {Fate::default_, "the port has no alias in this block"};
  if (taken.empty()) return {Fate::dropped, without};
  return {Fate::mapped, fmt::format("registrations.aliases: at {}{}{}", fmt::join(taken, ", "),
                                    without.empty() ? "" : "; ", without)};
}

std::string shown_of_sa_dump(std::string_view line) {
  constexpr std::string_view kKey = "key=";
  const auto key_from = [&](std::size_t begin) {
    std::size_t at = line.find(kKey, begin);
    while (at != line.npos && at > 0 && (line[at - 1] == 'p' || line[at - 1] == 'q'))
      at = line.find(kKey, at + 1);  // a P_Key or Q_Key
    return at;
  };
  const std::size_t at = key_from(0);
  if (at == line.npos) return std::string(line);
  const std::size_t begin = at + kKey.size();
  std::size_t end = std::min(line.find(" name='", begin), line.size());
  if (key_from(end) != line.npos) end = line.size();
  return fmt::format("{}***{}", line.substr(0, begin), line.substr(end));
}

// --- writing

namespace {

std::string two(const std::array<std::uint64_t, 2>& words) {
  return fmt::format("0x{:016x}:0x{:016x}", words[0], words[1]);
}

/// Selector "exactly" in front of a value of six bits.
unsigned exactly(unsigned value) { return 2u << 6 | value; }

void write_group(std::string& out, const plan::McGroup& group) {
  const unsigned scope = static_cast<unsigned>(group.mgid[0] >> 48 & 0xf) << 4;
  Gid first{};
  std::map<Guid, plan::McMember> members;
  group.members.each([&](Guid port, const plan::McMember& member) { members.emplace(port, member); });
  if (!members.empty()) first = members.begin()->second.gid;
  out += fmt::format(
      "MC Group 0x{:04x} {}: mgid={} port_gid={} qkey=0x{:08x} mlid=0x{:04x} mtu=0x{:02x} tclass=0x{:02x} "
      "pkey=0x{:04x} rate=0x{:02x} pkt_life=0x{:02x} sl_flow_hop=0x{:08x} scope_state=0x{:02x} "
      "proxy_join=0x0\n\n",
      raw(group.mlid), group.permanent ? " (well known)" : "", two(group.mgid), two(first), group.qkey,
      raw(group.mlid), exactly(static_cast<unsigned>(group.mtu)), group.tclass, raw(group.pkey),
      exactly(group.rate), exactly(group.lifetime),
      std::uint32_t{raw(group.sl)} << 28 | group.flow_label << 8 | group.hop_limit, scope | 1);
  for (const auto& [port, member] : members)
    out += fmt::format("mcm_port: port_gid={} scope_state=0x{:02x} proxy_join=0x{:x}\n\n", two(member.gid),
                       scope | member.join_state, member.proxy ? 1 : 0);
}

void write_subscription(std::string& out, const plan::Subscription& one) {
  const bool range = one.gid == Gid{} && one.lid_begin != static_cast<Lid>(0xffff);
  out += fmt::format(
      "InformInfo Record: subscriber_gid={} subscriber_enum=0x0 InformInfo: gid={} lid_range_begin=0x{:x} "
      "lid_range_end=0x{:x} is_generic=0x{:x} subscribe=0x1 trap_type=0x{:x} trap_num=0x{:x} "
      "qpn_resp_time_val=0x{:x} node_type=0x{:06x} rep_addr: lid=0x{:04x} path_bits=0x00 static_rate=0x00 "
      "remote_qp=0x{:08x} remote_qkey=0x80010000 pkey_ix=0x0000 sl=0x{:02x}\n\n",
      two(one.subscriber), two(one.gid), raw(one.lid_begin), range ? raw(one.lid_end) : 0,
      one.generic ? 1 : 0, one.type, one.trap, one.qp << 8 | 18, one.producer, raw(one.lid), one.qp,
      raw(one.sl));
}

void write_service(std::string& out, const plan::Service& service, std::int64_t now) {
  const bool for_ever = service.lease == kForEver;
  if (!for_ever && service.expires <= now) return;
  const auto end = std::ranges::find(service.name, std::uint8_t{0});
  std::string name(service.name.begin(), end);
  std::ranges::replace_if(name, [](char c) { return c == '\n' || c == '\r'; }, '?');
  const auto data = [&](std::size_t which) {
    return two({word_of(service, 2 * which), word_of(service, 2 * which + 1)});
  };
  // Both in 32 bits, the latter with a value that says "for ever".
  const std::int64_t left =
      for_ever ? std::int64_t{kForEver} : std::min<std::int64_t>(service.expires - now, kForEver - 1);
  out += fmt::format(
      "Service Record: id=0x{:016x} gid={} pkey=0x{:x} lease=0x{:x} key={} name='{}' data8={} data16={} "
      "data32={} data64={} modified_time=0x{:x} lease_period=0x{:x}\n\n",
      service.id, two(service.gid), raw(service.pkey), service.lease, two(service.key), name, data(0),
      data(1), data(2), data(3), now, left);
}

void write_aliases(std::string& out, Guid port, const std::vector<Guid>& guids) {
  for (std::size_t first = 0; first < guids.size(); first += kGuidsABlock) {
    out += fmt::format("GUIDInfo Record: base_guid={} lid=0x0000 block_num=0x{:x}", to_string(port),
                       first / kGuidsABlock);
    for (std::size_t i = 0; i < kGuidsABlock; ++i) {
      const std::size_t place = first + i;
      const Guid guid = place == 0 ? port : place < guids.size() ? guids[place] : Guid{};
      out += fmt::format(" guid{}={}", i, to_string(guid));
    }
    out += "\n\n";
  }
}

/// In one order, whatever the map's is.
template <typename Key, typename Value, typename Each>
void sorted(const plan::SharedMap<Key, Value>& map, const Each& each) {
  std::map<Key, Value> all;
  map.each([&all](const Key& key, const Value& value) { all.emplace(key, value); });
  for (const auto& [key, value] : all) each(key, value);
}

}  // namespace

std::string opensm_sa_dump(const plan::SaState& state, std::int64_t now) {
  std::string out;
  sorted(state.port_guids, [&out](Guid port, const auto& guids) { write_aliases(out, port, *guids); });
  sorted(state.groups.map(), [&out](const Gid&, const auto& group) { write_group(out, *group); });
  sorted(state.subscriptions, [&out](Guid, const auto& list) {
    for (const plan::Subscription& one : *list) write_subscription(out, one);
  });
  sorted(state.services, [&](const plan::ServiceKey&, const auto& one) { write_service(out, *one, now); });
  return out;
}

}  // namespace weft::config
