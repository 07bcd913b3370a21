#include "routing/transition.h"

#include <algorithm>
#include <array>
#include <bit>

#include "routing/check.h"
#include "routing/check_cables.h"

namespace weft::routing {
namespace {

using Ways = std::array<std::uint8_t, 2>;  // old, new out port

/// Calls use(lid) where two rows differ; where one ends, the rest of the other does.
template <typename Use>
void each_difference(const Lft& a, const Lft& b, const Use& use) {
  for (std::size_t i = 0; i < std::max(a.piece_count(), b.piece_count()); ++i) {
    const std::span<const std::uint8_t> x =
        i < a.piece_count() ? a.piece(i) : std::span<const std::uint8_t>();
    const std::span<const std::uint8_t> y =
        i < b.piece_count() ? b.piece(i) : std::span<const std::uint8_t>();
    if (x.data() == y.data() && x.size() == y.size()) continue;
    for (std::size_t j = 0; j < std::max(x.size(), y.size()); ++j)
      if (j >= x.size() || j >= y.size() || x[j] != y[j]) use(i * Lft::kPiece + j);
  }
}

/// Old and new tables in force at once. What LIDs do that are routed alike in both is found out once.
class Mixture {
 public:
  Mixture(const Problem& problem, const Routes& old, const Routes& now)
      : problem_(problem),
        now_(&now),
        cables_(problem),
        channels_(cables_.peers, cables_.width,
                  static_cast<std::uint32_t>(now.lanes ? now.lanes->count : now.layers)),
        ways_(cables_.count),
        seen_(cables_.count),
        masks_(cables_.count) {
    std::vector<bool> differs(std::size_t{raw(problem.top)} + 1);
    for (std::uint32_t s = 0; s < cables_.count; ++s) {
      before_.push_back(row_of(old, problem.fabric->node(static_cast<SwitchId>(s)).guid));
      // A switch that is new says something else of every LID it knows.
      static const Lft nothing;
      each_difference(before_.back() ? *before_.back() : nothing, *now.lfts[s], [&](std::size_t lid) {
        if (lid < differs.size() && (before_.back() || (*now.lfts[s])[lid] != kNoWay)) differs[lid] = true;
      });
    }
    for (const Destination& d : problem_.destinations) {
      for (std::uint32_t j = 0; j < 1U << d.lmc; ++j) {
        const auto lid = static_cast<Lid>(raw(d.base) + j);
        if (differs[raw(lid)])
          changed_.emplace_back(&d, lid);
        else
          add(d, lid, channels_);
      }
    }
  }

  /// With `now` for the new tables, which differs from the one before only where that differs from the old.
  std::vector<Channel> find_cycle(const Routes& now) {
    now_ = &now;
    ChannelGraph all = channels_;
    for (const auto& [to, lid] : changed_) add(*to, lid, all);
    return all.find_cycle();
  }

 private:
  void load(Lid lid) {
    for (std::uint32_t s = 0; s < cables_.count; ++s) {
      const Lft* old = before_[s].get();
      ways_[s] = {old && raw(lid) < old->size() ? (*old)[raw(lid)] : raw(kPortDrop),
                  raw(now_->out(static_cast<SwitchId>(s), lid))};
    }
  }
  std::uint8_t lane(std::uint32_t s, std::uint8_t in, std::uint8_t out) const {
    return raw(
        now_->lanes->at(static_cast<SwitchId>(s), static_cast<PortNum>(in), static_cast<PortNum>(out)));
  }

  /// Switches that traffic to the LID can reach by either table, in order of reaching; masks_: by switch and
  /// way, the VLs it leaves by.
  void spread(const Destination& to) {
    reached_.clear();
    std::ranges::fill(seen_, 0);
    std::ranges::fill(masks_, std::array<std::uint8_t, 2>{});
    for (const std::uint32_t s : to.is_peer() ? cables_.all : cables_.talkers) {
      seen_[s] = 1;
      reached_.push_back(s);
      const Ways out = ways_[s];
      for (std::size_t v = 0; v < out.size(); ++v)
        if (cables_.peer(s, out[v]) < CheckCables::kLastIndex)
          masks_[s][v] |= static_cast<std::uint8_t>(1U << lane(s, 0, out[v]));
    }
    for (std::size_t i = 0; i < reached_.size(); ++i) {
      const std::uint32_t s = reached_[i];
      for (const std::uint8_t port : ways_[s]) {
        const std::uint16_t next = cables_.peer(s, port);
        if (next >= CheckCables::kLastIndex) continue;
        if (seen_[next] == 0) {
          seen_[next] = 1;
          reached_.push_back(next);
        }
        const Ways onward = ways_[next];
        for (std::size_t v = 0; v < onward.size(); ++v)
          if (cables_.peer(next, onward[v]) < CheckCables::kLastIndex)
            masks_[next][v] |=
                static_cast<std::uint8_t>(1U << lane(next, cables_.far[s * cables_.width + port], onward[v]));
      }
    }
  }

  /// The same where all packets of a LID are on one VL.
  void reach(const Destination& to) {
    reached_ = to.is_peer() ? cables_.all : cables_.talkers;
    if (reached_.size() == cables_.count) return;
    std::ranges::fill(seen_, 0);
    for (const std::uint32_t s : reached_) seen_[s] = 1;
    for (std::size_t i = 0; i < reached_.size(); ++i) {
      for (const std::uint8_t port : ways_[reached_[i]]) {
        const std::uint16_t next = cables_.peer(reached_[i], port);
        if (next >= CheckCables::kLastIndex || seen_[next] != 0) continue;
        seen_[next] = 1;
        reached_.push_back(next);
      }
    }
  }

  void add_on_one_lane(const Destination& to, ChannelGraph& channels) {
    reach(to);
    for (const std::uint32_t s : reached_) {
      const Ways out = ways_[s];
      for (std::size_t v = 0; v < (out[0] == out[1] ? 1U : 2U); ++v) {
        const std::uint16_t next = cables_.peer(s, out[v]);
        if (next >= CheckCables::kLastIndex) continue;
        const std::uint32_t channel = channels.id(s, out[v], layer_);
        for (const std::uint8_t onward : ways_[next])
          if (onward < cables_.width) channels.depend(channel, onward, layer_);
      }
    }
  }

  void add(const Destination& to, Lid lid, ChannelGraph& channels) {
    layer_ = static_cast<std::uint8_t>(now_->layer_of(to, lid));
    load(lid);
    if (!now_->lanes) return add_on_one_lane(to, channels);
    spread(to);
    for (const std::uint32_t s : reached_) {
      const Ways out = ways_[s];
      for (std::size_t v = 0; v < out.size(); ++v) {
        const std::uint16_t next = cables_.peer(s, out[v]);
        if (next >= CheckCables::kLastIndex) continue;
        for (const std::uint8_t onward : ways_[next]) {
          if (onward >= cables_.width) continue;
          const std::uint8_t then = lane(next, cables_.far[s * cables_.width + out[v]], onward);
          for (std::uint32_t mask = masks_[s][v]; mask != 0; mask &= mask - 1)
            channels.depend(channels.id(s, out[v], static_cast<std::uint32_t>(std::countr_zero(mask))),
                            onward, then);
        }
      }
    }
  }

  const Problem& problem_;
  const Routes* now_;
  CheckCables cables_;
  ChannelGraph channels_;  // of LIDs that are routed alike
  std::vector<std::pair<const Destination*, Lid>> changed_;
  std::uint8_t layer_ = 0;  // of the LID at hand
  std::vector<std::shared_ptr<const Lft>> before_;
  std::vector<Ways> ways_;  // by switch: of the LID at hand
  std::vector<std::uint8_t> seen_;
  std::vector<std::array<std::uint8_t, 2>> masks_;
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

Transition find_transition(const Problem& problem, const Routes& old, const Routes& now, bool levels_move) {
  Transition transition;
  transition.entries = changed_entries(problem, old, now);
  transition.lanes_change = !same_lanes(old, now) || (levels_move && now.lanes != nullptr);
  if (transition.entries == 0 && !transition.lanes_change) return transition;
  if (!transition.lanes_change) {
    Mixture mixture(problem, old, now);
    transition.cycle = mixture.find_cycle(now);
    if (transition.any_order()) return transition;
    transition.dark = darken(problem, old, now, mixture, transition.cycle);
  }
  if (!transition.dark) transition.dark = shared_part(problem, old, now, transition.lanes_change);
  transition.dark_pairs = check(problem, *transition.dark).lost;
  return transition;
}

}  // namespace weft::routing
