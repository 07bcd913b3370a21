#include "sa/paths.h"

#include <algorithm>
#include <set>

#include "mad/sa_records.h"
#include "partitions/pkey.h"
#include "partitions/tables.h"
#include "sa/components.h"
#include "sa/rate.h"
#include "sa/sight.h"

namespace weft::sa {
namespace {

using mad::PathRecord;
namespace status = mad::sa_status;

/// Bits of a PathRecord's component mask.
enum PathBit {
  kServiceId8 = 0,
  kServiceId56,
  kDgid,
  kSgid,
  kDlid,
  kSlid,
  kRawTraffic,
  kReserved1,
  kFlowLabel,
  kHopLimit,
  kTclass,
  kReversible,
  kNumbPath,
  kPkey,
  kQosClass,
  kSl,
  kMtuSelector,
  kMtu,
  kRateSelector,
  kRate,
  kLifetimeSelector,
  kLifetime
};
constexpr std::size_t kPathSize = 64;
constexpr std::size_t kMostPaths = 127;
/// 64 MB of answer; who wants every path of a big fabric has to ask by source.
constexpr std::size_t kMostRecords = 1u << 20;

/// What is asked for, from a PathRecord or a MultiPathRecord.
struct Wish {
  PathRecord record;
  std::uint64_t mask = 0;
  bool asks(int number) const { return (mask & bit(number)) != 0; }
};

/// One end of the paths asked for: a port, or any, with a LID of it or any.
struct Side {
  const End* end = nullptr;
  Lid lid{};
  Gid gid{};  ///< As asked for, to be told back.
  bool given = false;
  bool beyond = false;  ///< In another subnet: the end is a router's.
  std::uint16_t wrong = 0;
};

Gid gid_of(const Context& context, const End& end) { return {context.prefix, raw(end.guid)}; }

/// Our subnet's ports are known by its prefix and by the link-local one.
bool local(const Context& context, const Gid& gid) {
  return gid[0] == context.prefix || gid[0] == kLinkLocalPrefix;
}

/// `routers`: a GID of another subnet means the way to a router.
Side side_of(const Context& context, bool has_gid, const Gid& gid, bool has_lid, Lid lid,
             bool routers = false) {
  Side side;
  side.given = has_gid || has_lid;
  if (has_gid) {
    side.beyond = routers && !local(context, gid) && gid[0] != 0;
    if (side.beyond)
      side.end = context.index.router();
    else
      side.end = local(context, gid) ? find_end(context, interface_of(gid)) : nullptr;
    if (side.end == nullptr) side.wrong = status::kNoRecords;
    side.gid = gid;
  }
  if (has_lid && side.wrong == 0) {
    const End* by_lid = context.index.find(lid);
    if (by_lid == nullptr)
      side.wrong = status::kNoRecords;
    else if (side.end != nullptr && side.end != by_lid)
      side.wrong = status::kInvalid;
    side.end = by_lid;
    side.lid = lid;
  }
  return side;
}

/// MTU, rate and lifetime as wished for; false when the path cannot have them. `wrong` is set for codes that
/// are none.
bool shape(const Wish& wish, const PathQuality& quality, PathRecord& record, std::uint16_t& wrong) {
  const auto settle = [&](int selector_bit, int value_bit, std::uint8_t selector, std::uint8_t value,
                          std::uint8_t path, Pick (*pick)(Selector, std::uint8_t, std::uint8_t),
                          std::uint8_t& into) {
    into = path;
    const auto chosen = static_cast<Selector>(selector);
    const bool counts = wish.asks(selector_bit) && (wish.asks(value_bit) || chosen == Selector::best);
    if (!counts) return true;
    const Pick picked = pick(chosen, value, path);
    if (picked.invalid) wrong = status::kInvalid;
    into = picked.value.value_or(0);
    return picked.value.has_value();
  };
  const PathRecord& asked = wish.record;
  record.mtu_selector = record.rate_selector = record.lifetime_selector =
      static_cast<std::uint8_t>(Selector::exactly);
  return settle(kMtuSelector, kMtu, asked.mtu_selector, asked.mtu, quality.mtu, pick_mtu, record.mtu) &&
         settle(kRateSelector, kRate, asked.rate_selector, asked.rate, quality.rate, pick_rate,
                record.rate) &&
         settle(kLifetimeSelector, kLifetime, asked.lifetime_selector, asked.lifetime, quality.lifetime,
                pick_lifetime, record.lifetime);
}

/// The P_Key of a path: as asked for, full bit included, else the one that its source has to use. Nothing
/// when the ends may not talk to each other by it.
std::optional<Pkey> pkey_for(const Wish& wish, std::span<const Pkey> from, std::span<const Pkey> to) {
  if (!wish.asks(kPkey)) {
    const std::optional<Pkey> common = partitions::common_key(from, to);
    return common && wish.asks(kRawTraffic) && wish.record.raw_traffic ? Pkey{0} : common;
  }
  const std::optional<Pkey> a = partitions::key_in(from, wish.record.pkey);
  const std::optional<Pkey> b = partitions::key_in(to, wish.record.pkey);
  if (!a || !b || !partitions::may_talk(*a, *b)) return std::nullopt;
  return wish.asks(kRawTraffic) && wish.record.raw_traffic ? Pkey{0} : wish.record.pkey;
}

/// A code that the software at both ends knows, and the one that asks: it goes from one to the other by CM.
/// No faster than allowed.
std::uint8_t rate_to_tell(const Context& context, const Sight& sight, const End& from, const End& to,
                          std::uint8_t rate) {
  std::uint8_t last = std::min(from.knows, to.knows);
  if (sight.asker() != nullptr) last = std::min(last, sight.asker()->knows);
  return rate_within(rate, context.options.max_rate, last);
}

/// The path as its service level has it: its SL, and no more than it allows. False when another SL is asked
/// for.
bool at_its_level(const Context& context, const Wish& wish, const End& from, const End& to, Pkey pkey,
                  PathQuality& quality) {
  const plan::Plan& plan = *context.index.view().plan;
  if (plan.levels.levels.empty()) return true;
  qos::Query query{.from = from.number, .to = to.number, .partition = partitions::partition_of(pkey)};
  if (wish.asks(kServiceId8) && wish.record.service_id != 0) query.service = wish.record.service_id;
  if (wish.asks(kQosClass)) query.qos_class = wish.record.qos_class;
  const qos::PlannedLevel& level = plan.levels.levels[plan.rules.decide(query).level];
  if (wish.asks(kSl) && wish.record.sl != level.sl) return false;
  quality.sl = level.sl;
  if (level.level.mtu) quality.mtu = std::min(quality.mtu, raw(*level.level.mtu));
  if (level.level.rate && rate_speed(quality.rate) > *level.level.rate)
    quality.rate = rate_at_most(*level.level.rate);
  if (level.level.lifetime) quality.lifetime = std::min(quality.lifetime, *level.level.lifetime);
  return true;
}

/// Gathers the paths that fit, up to a number of them.
class Paths {
 public:
  Paths(const Context& context, const Sight& sight, const Wish& wish, std::size_t limit)
      : context_(context), sight_(sight), wish_(wish), limit_(limit) {}

  bool disjoint = false;  ///< Only paths that share no link between switches.

  bool full() const { return count_ >= limit_; }
  std::uint16_t wrong() const { return wrong_; }
  std::size_t count() const { return count_; }
  std::vector<std::uint8_t> take() { return std::move(data_); }

  /// All LID pairs of two ports that the wish allows, same path bits first: they are planned as one plane.
  void between(const Side& from, const Side& to) {
    if (!sight_.sees(*from.end) || !sight_.sees(*to.end)) return;
    pkey_ = pkey_for(wish_, from.end->keys, to.end->keys);
    if (!pkey_) return;
    const int from_lids = from.lid == kLidNone ? 1 << from.end->lmc : 1;
    const int to_lids = to.lid == kLidNone ? 1 << to.end->lmc : 1;
    const auto lid = [](const Side& side, int offset) {
      return side.lid != kLidNone ? side.lid : static_cast<Lid>(raw(side.end->base) + offset);
    };
    for (int shift = 0; shift < to_lids; ++shift)
      for (int i = 0; i < from_lids; ++i)
        if (!full() && wrong_ == 0) one(from, lid(from, i), to, lid(to, (i + shift) % to_lids));
  }

 private:
  void one(const Side& from, Lid slid, const Side& to, Lid dlid) {
    std::optional<PathQuality> quality = context_.index.path(*from.end, *to.end, dlid);
    if (!quality || !context_.index.same_layer(*from.end, slid, *to.end, dlid)) return;
    if (context_.index.needs_its_sl() && wish_.asks(kSl) && wish_.record.sl != quality->sl) return;
    if (!at_its_level(context_, wish_, *from.end, *to.end, *pkey_, *quality)) return;
    if (disjoint && !is_new_way(*from.end, dlid)) return;
    quality->rate = rate_to_tell(context_, sight_, *from.end, *to.end, quality->rate);
    PathRecord record;
    if (!shape(wish_, *quality, record, wrong_)) return;
    record.pkey = *pkey_;
    record.dgid = to.gid == Gid{} ? gid_of(context_, *to.end) : to.gid;
    record.sgid = from.gid == Gid{} ? gid_of(context_, *from.end) : from.gid;
    record.dlid = dlid;
    record.slid = slid;
    record.hop_limit = to.beyond ? 0xff : 0;
    record.raw_traffic = wish_.asks(kRawTraffic) && wish_.record.raw_traffic;
    // Any path is reversible: both ways use the same SL, and packets back need no path of their own.
    record.reversible = true;
    record.sl = wish_.asks(kSl) ? wish_.record.sl : quality->sl;
    record.service_id = wish_.asks(kServiceId8) ? wish_.record.service_id : 0;
    if (count_ >= kMostRecords) {
      wrong_ = status::kNoResources;
      return;
    }
    data_.resize((count_ + 1) * kPathSize);
    encode_into(std::span<std::uint8_t>(data_).subspan(count_ * kPathSize), record);
    ++count_;
  }

  /// Whether no path told so far takes any of its links between switches; then they are taken.
  bool is_new_way(const End& from, Lid dlid) {
    const auto hops = plan::path(context_.index.view(), from.port, dlid);
    if (!hops) return false;
    std::set<fabric::PortRef> links;
    for (const plan::Hop& hop : *hops)
      if (context_.index.fabric().is_switch(hop.out.node) && context_.index.fabric().is_switch(hop.in.node))
        links.insert(hop.out);
    if (std::ranges::any_of(links, [this](fabric::PortRef link) { return taken_.contains(link); }))
      return false;
    taken_.merge(links);
    return true;
  }

  const Context& context_;
  const Sight& sight_;
  const Wish& wish_;
  std::size_t limit_;
  std::optional<Pkey> pkey_;  // of the pair at hand
  std::set<fabric::PortRef> taken_;
  std::size_t count_ = 0;
  std::uint16_t wrong_ = 0;
  std::vector<std::uint8_t> data_;
};

Answer made_of(const Request& request, Paths& paths, bool table, mad::Method method) {
  if (paths.wrong() != 0) return refusal(request, paths.wrong());
  if (paths.count() == 0 && !table) return refusal(request, status::kNoRecords);
  Answer answer;
  answer.method = method;
  answer.attribute = mad::SaAttr::path_record;
  answer.table = table;
  answer.offset = paths.count() == 0 ? std::uint16_t{0} : static_cast<std::uint16_t>(kPathSize / 8);
  answer.data = paths.take();
  return answer;
}

/// The path to a multicast group is what its members send with.
Answer group_path(const Request& request, const Context& context, const Sight& sight, const Wish& wish,
                  const Side& from, bool table) {
  const auto group = context.state.groups.find(wish.record.dgid);
  const bool seen = group != nullptr && sight.is_in(group->pkey);
  const bool member = seen && (from.end == nullptr || group->members.contains(from.end->guid) ||
                               group->members.contains(interface_of(from.gid)));
  Paths none(context, sight, wish, 0);
  if (!member)
    return made_of(request, none, table, table ? mad::Method::get_table_resp : mad::Method::get_resp);
  const plan::McGroup& of = *group;
  PathRecord record = wish.record;
  record.dlid = of.mlid;
  record.slid = from.end == nullptr ? kLidNone : from.end->base;
  record.reversible = false;
  record.paths = 1;
  record.pkey = of.pkey;
  record.sl = of.sl;
  record.qos_class = 0;
  record.hop_limit = of.hop_limit;
  record.tclass = of.tclass;
  record.flow_label = of.flow_label;
  record.mtu_selector = record.rate_selector = record.lifetime_selector =
      static_cast<std::uint8_t>(Selector::exactly);
  record.mtu = raw(of.mtu);
  record.rate = of.rate;
  record.lifetime = of.lifetime;
  Answer answer;
  answer.method = table ? mad::Method::get_table_resp : mad::Method::get_resp;
  answer.attribute = mad::SaAttr::path_record;
  answer.table = table;
  answer.offset = kPathSize / 8;
  answer.data.resize(kPathSize);
  encode_into(std::span<std::uint8_t>(answer.data), record);
  return answer;
}

/// Sides that are not given are every port, in the order of their LIDs.
template <typename Visit>
void each_side(const Context& context, const Side& side, const Visit& visit) {
  if (side.given) return visit(side);
  for (const End& end : context.index.ends()) visit(Side{.end = &end, .lid = {}, .gid = {}});
}

}  // namespace

Answer path_records(const Request& request, const Context& context) {
  const Wish wish{mad::decode<PathRecord>(request.data), request.sa.component_mask};
  const bool table = request.header.method == mad::Method::get_table;
  const mad::Method method = table ? mad::Method::get_table_resp : mad::Method::get_resp;
  if (wish.asks(kServiceId8) != wish.asks(kServiceId56))
    return refusal(request, status::kInsufficientComponents);
  const Sight sight(request, context);
  Paths none(context, sight, wish, 0);
  const Side from = side_of(context, wish.asks(kSgid), wish.record.sgid, wish.asks(kSlid), wish.record.slid);
  if (wish.asks(kDgid) && is_multicast(wish.record.dgid) && from.wrong == 0)
    return group_path(request, context, sight, wish, from, table);
  const Side to =
      side_of(context, wish.asks(kDgid), wish.record.dgid, wish.asks(kDlid), wish.record.dlid, true);
  for (const Side* side : {&from, &to}) {
    if (side->wrong == status::kNoRecords) return made_of(request, none, table, method);
    if (side->wrong != 0) return refusal(request, side->wrong);
  }
  std::size_t limit = 1;
  if (table) limit = wish.asks(kNumbPath) ? wish.record.paths : ~std::size_t{0};
  // NumbPath counts the paths of one pair; without both ends the pairs themselves are not limited.
  const bool pair = from.given && to.given;
  Paths paths(context, sight, wish, pair || !table ? limit : (limit == 0 ? 0 : ~std::size_t{0}));
  each_side(context, from, [&](const Side& a) {
    each_side(context, to, [&](const Side& b) {
      if (!paths.full() && paths.wrong() == 0) paths.between(a, b);
    });
  });
  return made_of(request, paths, table, method);
}

Answer multi_path_records(const Request& request, const Context& context) {
  enum MultiBit {
    kMultiReversible = 5,
    kMultiNumbPath = 6,
    kMultiPkey = 7,
    kMultiSl = 9,
    kMultiMtuSelector = 10,
    kMultiIndependence = 17,
    kSgidCount = 19,
    kDgidCount = 20
  };
  const auto asked = mad::decode<mad::MultiPathRecord>(request.data);
  const std::uint64_t mask = request.sa.component_mask;
  const auto asks = [mask](int number) { return (mask & bit(number)) != 0; };
  if (!asks(kSgidCount) || !asks(kDgidCount)) return refusal(request, status::kInsufficientComponents);
  const std::size_t gids = std::size_t{asked.sgids} + asked.dgids;
  if (asked.sgids == 0 || asked.dgids == 0 || mad::kMultiPathGidsAt + gids * 16 > request.data.size())
    return refusal(request, status::kInvalid);
  Wish wish;
  wish.record.pkey = asked.pkey;
  wish.record.sl = asked.sl;
  wish.record.raw_traffic = asked.raw_traffic;
  wish.record.mtu_selector = asked.mtu_selector;
  wish.record.mtu = asked.mtu;
  wish.record.rate_selector = asked.rate_selector;
  wish.record.rate = asked.rate;
  wish.record.lifetime_selector = asked.lifetime_selector;
  wish.record.lifetime = asked.lifetime;
  if (asks(0)) wish.mask |= bit(kRawTraffic);
  if (asks(kMultiPkey)) wish.mask |= bit(kPkey);
  if (asks(kMultiSl)) wish.mask |= bit(kSl);
  for (int i = 0; i < 6; ++i)
    if (asks(kMultiMtuSelector + i)) wish.mask |= bit(kMtuSelector + i);
  std::vector<Side> sides;
  for (std::size_t i = 0; i < gids; ++i) {
    const std::size_t at = (mad::kMultiPathGidsAt + i * 16) * 8;
    const Gid gid{get_bits(request.data, at, 64), get_bits(request.data, at + 64, 64)};
    const Side side = side_of(context, true, gid, false, {});
    if (is_multicast(gid) || side.wrong != 0) return refusal(request, status::kInvalidGid);
    sides.push_back(side);
  }
  const std::size_t limit = asks(kMultiNumbPath) && asked.paths > 0 ? asked.paths : kMostPaths;
  const Sight sight(request, context);
  Paths paths(context, sight, wish, limit);
  paths.disjoint = asks(kMultiIndependence) && asked.independence == 1;
  for (std::size_t a = 0; a < asked.sgids; ++a)
    for (std::size_t b = asked.sgids; b < gids; ++b)
      if (!paths.full() && paths.wrong() == 0) paths.between(sides[a], sides[b]);
  Answer answer = made_of(request, paths, paths.count() > 0, mad::Method::get_multi_resp);
  if (answer.status != 0) answer.method = mad::Method::get_multi_resp;
  return answer;
}

}  // namespace weft::sa
