#include "routing/transition.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "routing/check.h"
#include "routing/waits.h"

namespace weft::routing {
namespace {

using Ways = std::array<std::uint8_t, 2>;  // old, new out port

/// Old and new tables in force at once. What the old ones make wait is known from their check, so only what
/// mixes at entries that change is added: what comes to such an entry, and what goes on from it.
class Mixture {
 public:
  /// `waits`: of the old tables; null: all is found here.
  Mixture(const Problem& problem, const Routes& old, const Routes& now, const Waits* waits)
      : problem_(problem),
        now_(&now),
        cables_(problem),
        old_waits_(waits),
        base_(cables_.peers, cables_.width,
              static_cast<std::uint32_t>(now.lanes ? now.lanes->count : now.layers)),
        rest_(base_),
        seen_(cables_.count),
        sends_(cables_.count) {
    if (waits) {
      each_wait_left(*waits, old.switches, cables_, *problem.fabric,
                     [this](std::uint32_t s, PortNum port, Vl vl, PortNum out, Vl lane) {
                       base_.depend(base_.id(s, raw(port), raw(vl)), raw(out), raw(lane));
                     });
    }
    for (std::uint32_t s = 0; s < cables_.count; ++s)
      before_.push_back(row_of(old, problem.fabric->node(static_cast<SwitchId>(s)).guid));
    list_changes(old);
    find_rest();
  }

  /// With `now` for the new tables, which differ from the ones before only where those differ from the old.
  std::vector<Channel> find_cycle(const Routes& now) {
    now_ = &now;
    ChannelGraph all = rest_;
    for (const Changed& changed : changed_)
      if (changed.may_turn_dark) add(changed, all);
    return all.find_cycle();
  }
  /// From now on the new entries of these may differ from call to call.
  void may_turn_dark(const std::vector<Lid>& lids) {
    bool more = false;
    for (Changed& changed : changed_)
      if (!changed.may_turn_dark && std::ranges::binary_search(lids, changed.lid))
        changed.may_turn_dark = more = true;
    if (more) find_rest();
  }

 private:
  struct Changed {
    const Destination* to = nullptr;
    Lid lid{};
    std::vector<std::uint32_t> at;  // switches whose entry changes
    bool everywhere = false;        // other switches may use it than did
    bool may_turn_dark = false;
  };

  void list_changes(const Routes& old) {
    constexpr std::uint32_t kNone = ~0U;
    std::vector<std::uint32_t> place(std::size_t{raw(problem_.top)} + 1, kNone);
    std::vector<std::pair<const Destination*, Lid>> owned;
    for (const Destination& d : problem_.destinations) {
      for (std::uint32_t j = 0; j < 1U << d.lmc; ++j) {
        place[raw(d.base) + j] = static_cast<std::uint32_t>(owned.size());
        owned.emplace_back(&d, static_cast<Lid>(raw(d.base) + j));
      }
    }
    std::vector<std::vector<std::uint32_t>> at(owned.size());
    static const Lft nothing;
    for (std::uint32_t s = 0; s < cables_.count; ++s) {
      each_difference(before_[s] ? *before_[s] : nothing, *now_->lfts[s], [&](std::size_t lid) {
        // A switch that is new says something else of every LID it knows.
        if (lid < place.size() && place[lid] != kNone && (before_[s] || (*now_->lfts[s])[lid] != kNoWay))
          at[place[lid]].push_back(s);
      });
    }
    const bool more_talk = !old_waits_ || somebody_else_talks(old);
    const std::vector<bool> peers = peers_before();
    for (std::size_t i = 0; i < owned.size(); ++i) {
      const auto& [to, lid] = owned[i];
      const bool new_peer = to->is_peer() && (raw(lid) >= peers.size() || !peers[raw(lid)]);
      if (!at[i].empty() || new_peer || (more_talk && !to->is_peer()))
        changed_.push_back({to, lid, std::move(at[i]), new_peer || !to->is_peer()});
    }
  }

  /// By LID: those that everybody talked to under the old tables; none where that is not known.
  std::vector<bool> peers_before() const {
    std::vector<bool> peers;
    if (!old_waits_) return peers;
    peers.resize(old_waits_->longest.size());
    for (const Destination& d : old_waits_->destinations)
      for (std::uint32_t j = 0; d.is_peer() && j < 1U << d.lmc; ++j) peers[raw(d.base) + j] = true;
    return peers;
  }

  /// Whether there is a source of traffic to switches that was none under the old tables.
  bool somebody_else_talks(const Routes& old) const {
    return std::ranges::any_of(cables_.talkers, [&](std::uint32_t s) {
      const Guid guid = problem_.fabric->node(static_cast<SwitchId>(s)).guid;
      const auto at = std::ranges::lower_bound(old.switches, guid);
      if (at == old.switches.end() || *at != guid) return true;
      const auto was = static_cast<std::uint32_t>(at - old.switches.begin());
      return old_waits_->cables.hosts[was] + old_waits_->cables.runs_sm[was] == 0;
    });
  }

  /// rest_: all but those that may turn dark.
  void find_rest() {
    rest_ = base_;
    for (const Changed& changed : changed_)
      if (!changed.may_turn_dark) add(changed, rest_);
  }

  Ways ways(std::uint32_t s) const {
    const Lft* old = before_[s].get();
    return {old && raw(lid_) < old->size() ? (*old)[raw(lid_)] : raw(kPortDrop),
            raw(now_->out(static_cast<SwitchId>(s), lid_))};
  }
  bool is_used(std::uint32_t s) const { return all_used_ || seen_[s] != 0; }

  /// seen_: switches that traffic to the LID can reach by either table.
  void reach(const Destination& to) {
    all_used_ = to.is_peer();
    if (all_used_) return;
    std::ranges::fill(seen_, 0);
    reached_ = cables_.talkers;
    for (const std::uint32_t s : reached_) seen_[s] = 1;
    for (std::size_t i = 0; i < reached_.size(); ++i) {
      for (const std::uint8_t port : ways(reached_[i])) {
        const std::uint16_t next = cables_.peer(reached_[i], port);
        if (next >= CheckCables::kLastIndex || seen_[next] != 0) continue;
        seen_[next] = 1;
        reached_.push_back(next);
      }
    }
  }

  /// Calls use(neighbour, own port) for those that send the LID to `s` by either table.
  template <typename Use>
  void each_sender(std::uint32_t s, const Use& use) const {
    for (std::uint32_t port = 1; port < cables_.width; ++port) {
      const std::uint16_t from = cables_.peers[s * cables_.width + port];
      if (from >= CheckCables::kLastIndex || !is_used(from)) continue;
      const std::uint8_t there = cables_.far[s * cables_.width + port];
      const Ways out = ways(from);
      if (out[0] == there || out[1] == there) use(from, static_cast<std::uint8_t>(port));
    }
  }

  void add(const Changed& changed, ChannelGraph& channels) {
    lid_ = changed.lid;
    reach(*changed.to);
    ++round_;
    const auto send = [&](std::uint32_t s) {
      if (!is_used(s) || std::exchange(sends_[s], round_) == round_) return;
      add_from(s, *changed.to, channels);
    };
    if (changed.everywhere)
      for (const std::uint32_t s : cables_.all) send(s);
    for (const std::uint32_t s : changed.at) {
      send(s);
      each_sender(s, [&](std::uint32_t from, std::uint8_t) { send(from); });
      // Where it comes to by another port than before, it goes on by another lane.
      for (const std::uint8_t port : ways(s))
        if (const std::uint16_t next = cables_.peer(s, port); now_->lanes && next < CheckCables::kLastIndex)
          send(next);
    }
  }

  void add_from(std::uint32_t s, const Destination& to, ChannelGraph& channels) {
    const Ways out = ways(s);
    for (std::size_t v = 0; v < (out[0] == out[1] ? 1U : 2U); ++v) {
      const std::uint16_t next = cables_.peer(s, out[v]);
      if (next >= CheckCables::kLastIndex) continue;
      const Ways onward = ways(next);
      for (std::uint32_t held = lanes_held(s, to, out[v]); held != 0; held &= held - 1) {
        const std::uint32_t channel =
            channels.id(s, out[v], static_cast<std::uint32_t>(std::countr_zero(held)));
        for (const std::uint8_t on : onward)
          if (on < cables_.width)
            channels.depend(channel, on, lane(to, next, cables_.far[s * cables_.width + out[v]], on));
      }
    }
  }

  std::uint8_t lane(const Destination& to, std::uint32_t s, std::uint8_t in, std::uint8_t out) const {
    if (!now_->lanes) return static_cast<std::uint8_t>(now_->layer_of(to, lid_));
    return raw(
        now_->lanes->at(static_cast<SwitchId>(s), static_cast<PortNum>(in), static_cast<PortNum>(out)));
  }
  /// VLs by which packets leave, its own and what comes from others.
  std::uint32_t lanes_held(std::uint32_t s, const Destination& to, std::uint8_t out) const {
    if (!now_->lanes) return 1U << lane(to, s, 0, out);
    const bool talks = to.is_peer() || cables_.hosts[s] + cables_.runs_sm[s] != 0;
    std::uint32_t held = talks ? 1U << lane(to, s, 0, out) : 0U;
    each_sender(s, [&](std::uint32_t, std::uint8_t in) { held |= 1U << lane(to, s, in, out); });
    return held;
  }

  const Problem& problem_;
  const Routes* now_;
  const CheckCables cables_;
  const Waits* old_waits_;
  ChannelGraph base_;  // what is known of the old tables
  ChannelGraph rest_;
  std::vector<Changed> changed_;
  std::vector<std::shared_ptr<const Lft>> before_;
  // The LID at hand:
  Lid lid_{};
  bool all_used_ = false;
  std::uint32_t round_ = 0;
  std::vector<std::uint8_t> seen_;    // by switch
  std::vector<std::uint32_t> sends_;  // by switch: the round in which it was added
  std::vector<std::uint32_t> reached_;
};

/// The new tables with 255 where the old ones say something else; where lanes change, only what leaves for an
/// end port stands, since a packet between switches could take a lane that neither table means.
Routes shared_part(const Problem& problem, const Routes& old, const Routes& now, bool lanes_change) {
  const CheckCables cables(problem);
  Routes dark = now;
  for (std::size_t s = 0; s < now.lfts.size(); ++s) {
    const auto before = row_of(old, now.switches[s]);
    if (!lanes_change && (!before || before == now.lfts[s])) continue;
    const Lft& row = *now.lfts[s];
    std::vector<Lft::Entry> entries;
    for (std::size_t lid = 0; lid < row.size(); ++lid) {
      const bool differs = before && (lid >= before->size() || (*before)[lid] != row[lid]);
      const bool between = cables.peer(static_cast<std::uint32_t>(s), row[lid]) < CheckCables::kLastIndex;
      if (differs || (lanes_change && between))
        entries.push_back({static_cast<std::uint16_t>(lid), raw(kPortDrop)});
    }
    dark.lfts[s] = std::make_shared<const Lft>(row.with(entries));
  }
  dark.basis = nullptr;
  dark.notes.clear();
  dark.top = problem.top;
  return dark;
}

/// LIDs whose new entry at the channel's switch leads into the channel, but whose old one does not.
std::vector<Lid> newcomers(const Problem& problem, const Routes& old, const Routes& now,
                           const Channel& channel) {
  std::vector<Lid> lids;
  const auto before = row_of(old, now.switches[raw(channel.from)]);
  for (const Destination& d : problem.destinations) {
    for (std::uint32_t lid = raw(d.base); lid < raw(d.base) + (1U << d.lmc); ++lid) {
      const bool was = before && lid < before->size() && (*before)[lid] == raw(channel.port);
      if (!was && now.out(channel.from, static_cast<Lid>(lid)) == channel.port)
        lids.push_back(static_cast<Lid>(lid));
    }
  }
  return lids;
}

/// The new tables with the entries at 255 that close cycles with old ones: cycle by cycle, those of the
/// channel with the fewest. Nothing when that does not come to an end soon.
std::optional<Routes> darken(const Problem& problem, const Routes& old, const Routes& now, Mixture& mixture,
                             std::vector<Channel> cycle) {
  constexpr int kCycles = 16;
  std::vector<Lid> plain;  // mostly it is these
  for (const Destination& d : problem.destinations)
    for (std::uint32_t j = 0; !d.is_peer() && j < 1U << d.lmc; ++j)
      plain.push_back(static_cast<Lid>(raw(d.base) + j));
  mixture.may_turn_dark(plain);
  Routes dark = now;
  dark.basis = nullptr;
  dark.notes.clear();
  for (int i = 0; i < kCycles && !cycle.empty(); ++i) {
    std::vector<Lid> fewest;
    SwitchId at{};
    for (const Channel& channel : cycle) {
      std::vector<Lid> lids = newcomers(problem, old, dark, channel);
      if (lids.empty() || (!fewest.empty() && lids.size() >= fewest.size())) continue;
      fewest = std::move(lids);
      at = channel.from;
    }
    if (fewest.empty()) return std::nullopt;
    mixture.may_turn_dark(fewest);
    std::vector<Lft::Entry> entries;
    for (const Lid lid : fewest) entries.push_back({raw(lid), raw(kPortDrop)});
    dark.lfts[raw(at)] = std::make_shared<const Lft>(dark.lfts[raw(at)]->with(entries));
    cycle = mixture.find_cycle(dark);
  }
  if (!cycle.empty()) return std::nullopt;
  return dark;
}

std::uint64_t changed_entries(const Problem& problem, const Routes& old, const Routes& now) {
  std::vector<bool> owned(std::size_t{raw(problem.top)} + 1);
  for (const Destination& d : problem.destinations)
    std::fill_n(owned.begin() + raw(d.base), std::size_t{1} << d.lmc, true);
  std::uint64_t count = 0;
  for (std::size_t s = 0; s < now.lfts.size(); ++s) {
    const auto before = row_of(old, now.switches[s]);
    if (!before || before == now.lfts[s]) continue;
    each_difference(*before, *now.lfts[s],
                    [&](std::size_t lid) { count += lid < owned.size() && owned[lid] ? 1 : 0; });
  }
  return count;
}

bool same_lanes(const Routes& old, const Routes& now) {
  if (old.layers != now.layers) return false;
  if (!old.lanes || !now.lanes) return !old.lanes && !now.lanes;
  if (old.lanes->vl != now.lanes->vl || old.lanes->count != now.lanes->count) return false;
  for (std::size_t s = 0; s < now.switches.size(); ++s) {
    const auto at = std::ranges::lower_bound(old.switches, now.switches[s]);
    if (at == old.switches.end() || *at != now.switches[s]) continue;
    const auto index = static_cast<std::size_t>(at - old.switches.begin());
    if (old.lanes->port_class[index] != now.lanes->port_class[s]) return false;
  }
  return true;
}

}  // namespace

Transition find_transition(const Problem& problem, const Routes& old, const Routes& now, bool levels_move,
                           const Waits* old_waits) {
  Transition transition;
  transition.entries = changed_entries(problem, old, now);
  transition.lanes_change = !same_lanes(old, now) || (levels_move && now.lanes != nullptr);
  if (transition.entries == 0 && !transition.lanes_change) return transition;
  if (!transition.lanes_change) {
    Mixture mixture(problem, old, now, old_waits);
    transition.cycle = mixture.find_cycle(now);
    if (transition.any_order()) return transition;
    transition.dark = darken(problem, old, now, mixture, transition.cycle);
  }
  if (!transition.dark) transition.dark = shared_part(problem, old, now, transition.lanes_change);
  std::vector<bool> darkened(row_size(problem.top));
  for (std::size_t s = 0; s < now.lfts.size(); ++s)
    each_difference(*now.lfts[s], *transition.dark->lfts[s], [&](std::size_t lid) {
      if (lid < darkened.size()) darkened[lid] = true;
    });
  transition.dark_pairs = lost_pairs(problem, *transition.dark, darkened);
  return transition;
}

}  // namespace weft::routing
