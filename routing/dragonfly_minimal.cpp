#include "routing/dragonfly_minimal.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace weft::routing {

constexpr std::uint32_t kNoEntry = WaitOrder::kNobody;

DragonflyMinimal::DragonflyMinimal(const DragonflyCommon& common, const GroupCables& cables,
                                   const DragonflyWays& ways, const Lanes& lanes)
    : c_(common), cables_(cables), ways_(ways), lanes_(lanes), place_(common.shape.group.size()) {
  for (const auto& routers : c_.shape.routers) {
    widest_ = std::max(widest_, static_cast<std::uint32_t>(routers.size()));
    for (std::uint32_t i = 0; i < routers.size(); ++i) place_[routers[i]] = i;
  }
  local_.resize(std::size_t{cables_.count} * widest_);
  for (std::uint32_t s = 0; s < cables_.count; ++s)
    for (const std::uint8_t port : cables_.ports[s])
      if (const std::uint32_t to = cables_.behind(s, port); group(to) == group(s))
        local_[s * widest_ + place_[to]].push_back(port);
}

std::uint8_t DragonflyMinimal::way(std::uint32_t s, std::uint16_t lid) const {
  const std::uint32_t at = c_.owner[lid];
  const std::vector<std::uint8_t>& ways =
      group(s) == group(at) ? local(s, at) : ways_[s * c_.shape.groups() + group(at)];
  return ways.empty() ? kNoWay : ways[c_.number[lid] % ways.size()];
}

/// So many numbers on, ways to a group are the same at all routers.
std::uint32_t DragonflyMinimal::period(std::uint32_t to) const {
  constexpr std::uint32_t kLong = 1U << 16;
  std::uint32_t period = 1;
  const auto repeat = [&](std::size_t ways) {
    if (ways > 1) period = std::min(kLong, std::lcm(period, static_cast<std::uint32_t>(ways)));
  };
  for (std::uint32_t s = 0; s < cables_.count; ++s) {
    if (group(s) != to) repeat(ways_[s * c_.shape.groups() + to].size());
    for (std::uint32_t i = 0; group(s) == to && i < widest_; ++i) repeat(local_[s * widest_ + i].size());
  }
  return period;
}

/// LIDs of one group that all routers outside treat alike.
class DragonflyMinimal::Turn {
 public:
  Turn(DragonflyMinimal& all, LinkLoads& loads, WaitOrder& waits)
      : all_(all),
        cables_(all.cables_),
        loads_(loads),
        waits_(waits),
        way_(cables_.count),
        entry_(cables_.count),
        entering_(all.widest_),
        lids_(all.widest_),
        host_lids_(all.widest_),
        carries_(cables_.next.size()) {}

  /// `lids`: those of the group whose number is `turn` modulo the period.
  void count(std::uint32_t to, std::uint32_t turn, const std::vector<std::uint16_t>& lids) {
    to_ = to;
    turn_ = turn;
    ++round_;
    std::ranges::fill(host_lids_, 0);
    for (auto& of : lids_) of.clear();
    for (const std::uint16_t lid : lids) {
      const std::uint32_t i = all_.place_[all_.c_.owner[lid]];
      lids_[i].push_back(lid);
      host_lids_[i] += all_.c_.port[lid] != 0 ? 1 : 0;
    }
    enter();
    for (std::uint32_t s = 0; s < cables_.count; ++s)
      if (all_.group(s) != to && entry_[s] != kNoEntry) count_outside(s);
    for (const std::uint32_t x : routers())
      if (x < cables_.count) count_inside(x);
    list_lost();
  }

 private:
  const std::vector<std::uint32_t>& routers() const { return all_.c_.shape.routers[to_]; }
  std::uint8_t local_way(std::uint32_t x, std::uint32_t t) const {
    const std::vector<std::uint8_t>& ways = all_.local(x, t);
    return ways.empty() ? kNoWay : ways[turn_ % ways.size()];
  }
  std::uint32_t after(std::uint32_t s) const { return cables_.behind(s, way_[s]); }

  /// entry_: the first router of the group that packets come to.
  void enter() {
    for (auto& of : entering_) of.clear();
    for (std::uint32_t s = 0; s < cables_.count; ++s) {
      entry_[s] = kNoEntry;
      way_[s] = kNoWay;
      if (all_.group(s) == to_) continue;
      const std::vector<std::uint8_t>& ways = all_.ways_[s * all_.c_.shape.groups() + to_];
      if (!ways.empty()) way_[s] = ways[turn_ % ways.size()];
    }
    for (std::uint32_t s = 0; s < cables_.count; ++s) {
      if (all_.group(s) == to_ || way_[s] == kNoWay) continue;
      std::uint32_t at = after(s);
      if (all_.group(at) != to_) at = way_[at] == kNoWay ? kNoEntry : after(at);
      if (at == kNoEntry || all_.group(at) != to_) continue;
      entry_[s] = at;
      entering_[all_.place_[at]].push_back(s);
    }
  }

  void count_outside(std::uint32_t s) {
    std::uint32_t reached = 0;
    for (const std::uint32_t t : routers())
      if (t == entry_[s] || (t < cables_.count && local_way(entry_[s], t) != kNoWay))
        reached += host_lids_[all_.place_[t]];
    const std::uint64_t flows = std::uint64_t{loads_.hosts(s)} * reached;
    for (std::uint32_t via = s; flows != 0 && all_.group(via) != to_; via = after(via)) {
      const std::uint32_t link = via * cables_.width + way_[via];
      loads_.carry(link, flows, std::exchange(carries_[link], round_) == round_ ? 0 : reached);
      loads_.send(link, s);
    }
    const auto lane = [&](std::uint32_t at, std::uint8_t in, std::uint8_t out) {
      return raw(
          all_.lanes_.at(static_cast<SwitchId>(at), static_cast<PortNum>(in), static_cast<PortNum>(out)));
    };
    wait(s, lane(s, 0, way_[s]));
    for (const std::uint8_t in : cables_.ports[s]) {
      const std::uint32_t from = cables_.behind(s, in);
      if (entry_[from] != kNoEntry && way_[from] == cables_.far[s * cables_.width + in])
        wait(s, lane(s, in, way_[s]));
    }
  }

  void wait(std::uint32_t s, std::uint32_t lane) {
    const std::uint32_t next = after(s);
    const std::uint8_t in = cables_.far[s * cables_.width + way_[s]];
    const auto onward = [&](std::uint8_t out) {
      waits_.depend(waits_.id(s, way_[s], lane), out,
                    raw(all_.lanes_.at(static_cast<SwitchId>(next), static_cast<PortNum>(in),
                                       static_cast<PortNum>(out))));
    };
    if (all_.group(next) != to_) return onward(way_[next]);
    for (const std::uint32_t t : routers())
      if (t < cables_.count && t != next && !lids_[all_.place_[t]].empty() && local_way(next, t) != kNoWay)
        onward(local_way(next, t));
  }

  void count_inside(std::uint32_t x) {
    const std::vector<std::uint32_t>& entering = entering_[all_.place_[x]];
    std::uint64_t hosts = loads_.hosts(x);
    for (const std::uint32_t s : entering) hosts += loads_.hosts(s);
    for (const std::uint32_t t : routers()) {
      if (t == x || t >= cables_.count || local_way(x, t) == kNoWay) continue;
      const std::uint32_t lids = host_lids_[all_.place_[t]];
      if (hosts == 0 || lids == 0) continue;
      const std::uint32_t link = x * cables_.width + local_way(x, t);
      loads_.carry(link, hosts * lids, lids);
      loads_.send(link, x);
      for (const std::uint32_t s : entering) loads_.send(link, s);
    }
  }

  void list_lost() {
    std::vector<std::uint32_t> outside;
    for (std::uint32_t s = 0; s < cables_.count; ++s)
      if (all_.group(s) != to_ && entry_[s] == kNoEntry) outside.push_back(s);
    const auto shared = static_cast<std::uint32_t>(all_.cut_off_.size());
    if (!outside.empty()) all_.cut_off_.push_back(outside);
    for (const std::uint32_t t : routers()) {
      if (t >= cables_.count || lids_[all_.place_[t]].empty()) continue;
      std::vector<std::uint32_t> cut_off = outside;
      for (const std::uint32_t x : routers()) {
        if (x == t || x >= cables_.count || local_way(x, t) != kNoWay) continue;
        cut_off.push_back(x);
        cut_off.insert(cut_off.end(), entering_[all_.place_[x]].begin(), entering_[all_.place_[x]].end());
      }
      if (cut_off.empty()) continue;
      const bool own = cut_off.size() != outside.size();
      const std::uint32_t list = own ? static_cast<std::uint32_t>(all_.cut_off_.size()) : shared;
      if (own) {
        std::ranges::sort(cut_off);
        all_.cut_off_.push_back(std::move(cut_off));
      }
      for (const std::uint16_t lid : lids_[all_.place_[t]]) all_.lost_.push_back({lid, list});
    }
  }

  DragonflyMinimal& all_;
  const GroupCables& cables_;
  LinkLoads& loads_;
  WaitOrder& waits_;
  std::uint32_t to_ = 0;
  std::uint32_t turn_ = 0;
  std::uint32_t round_ = 0;
  std::vector<std::uint8_t> way_;                     // by router outside the group
  std::vector<std::uint32_t> entry_;                  // likewise
  std::vector<std::vector<std::uint32_t>> entering_;  // by place in the group: those whose entry it is
  std::vector<std::vector<std::uint16_t>> lids_;      // by place in the group
  std::vector<std::uint32_t> host_lids_;              // likewise
  std::vector<std::uint32_t> carries_;                // by link: the round in which it last carried anything
};

void DragonflyMinimal::count(LinkLoads& loads, WaitOrder& waits) {
  Turn turn(*this, loads, waits);
  std::vector<std::pair<std::uint32_t, std::uint16_t>> by_turn;
  std::vector<std::uint16_t> lids;
  for (std::uint32_t to = 0; to < c_.shape.groups(); ++to) {
    const std::uint32_t repeat = period(to);
    by_turn.clear();
    for (const std::uint32_t t : c_.shape.routers[to])
      for (std::size_t i = 0; t < cables_.count && i < c_.lids[t].size(); ++i)
        by_turn.emplace_back(c_.number[c_.lids[t][i]] % repeat, c_.lids[t][i]);
    std::ranges::sort(by_turn);
    for (std::size_t i = 0; i < by_turn.size(); ++i) {
      lids.push_back(by_turn[i].second);
      if (i + 1 < by_turn.size() && by_turn[i + 1].first == by_turn[i].first) continue;
      turn.count(to, by_turn[i].first, lids);
      lids.clear();
    }
  }
  std::ranges::sort(lost_, {}, &Lost::lid);
}

}  // namespace weft::routing
