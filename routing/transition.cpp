#include "routing/transition.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <utility>

#include "routing/check.h"
#include "routing/parallel.h"
#include "routing/waits.h"

namespace weft::routing {
namespace {

using Ways = std::array<std::uint8_t, 2>;  // old, new out port

/// What a channel waits for: a port and lane of the switch behind it.
struct Wait {
  std::uint32_t channel = 0;
  std::uint8_t port = 0;
  std::uint8_t lane = 0;
};

/// Old and new tables side by side, over the cables that live.
struct BothTables {
  BothTables(const Problem& asked, const Routes& old, const Routes& latest, const Waits* waits)
      : problem(asked), now(&latest), cables(asked), old_waits(waits) {
    for (std::uint32_t s = 0; s < cables.count; ++s)
      before.push_back(row_of(old, problem.fabric->node(static_cast<SwitchId>(s)).guid));
  }

  static std::uint8_t entry(const Lft* row, std::uint16_t lid) {
    return row && lid < row->size() ? (*row)[lid] : raw(kPortDrop);
  }
  Ways ways(std::uint32_t s, std::uint16_t lid) const {
    return {entry(before[s].get(), lid), entry(now->lfts[s].get(), lid)};
  }
  std::uint32_t lane_count() const {
    return static_cast<std::uint32_t>(now->lanes ? now->lanes->count : now->layers);
  }

  const Problem& problem;
  const Routes* now;
  const CheckCables cables;
  const Waits* old_waits;  ///< Null: not known.
  std::vector<std::shared_ptr<const Lft>> before;
};

/// A LID that is looked at by itself.
struct Single {
  const Destination* to = nullptr;
  std::uint16_t lid = 0;
  std::vector<std::uint32_t> at;  ///< Switches whose entry changes.
  bool known = false;             ///< The old tables' waits hold those of its old entries.
  bool stale = true;
  std::vector<Wait> adds;  ///< Beside what is known to wait under the old tables.
};

/// Finds what a LID makes wait by old and new entries in any mixture. One for each thread.
class SingleWaits {
 public:
  SingleWaits(const BothTables& both, const ChannelGraph& base)
      : both_(both), c_(both.cables), base_(base), seen_(c_.count), changes_(c_.count) {}

  void find(Single& one) {
    one.stale = false;
    one.adds.clear();
    one_ = &one;
    for (const std::uint32_t s : one.at) changes_[s] = 1;
    reach();
    if (both_.now->lanes)
      add_by_lanes();
    else
      add_all();
    for (const std::uint32_t s : one.at) changes_[s] = 0;
  }

 private:
  enum : std::uint8_t { unseen, by_old, newly };

  Ways ways(std::uint32_t s) const { return both_.ways(s, one_->lid); }

  /// seen_: switches that traffic to the LID can reach by either table; by_old: by the old one alone.
  void reach() {
    const bool everybody = one_->to->is_peer();
    std::ranges::fill(seen_, everybody ? (one_->known ? by_old : newly) : unseen);
    reached_ = everybody ? c_.all : c_.talkers;
    if (everybody) return;
    for (const std::uint32_t s : reached_) seen_[s] = one_->known ? by_old : newly;
    const auto visit = [this](std::uint8_t port, std::uint32_t s, std::uint8_t how) {
      const std::uint16_t next = c_.peer(s, port);
      if (next >= CheckCables::kLastIndex || seen_[next] != unseen) return;
      seen_[next] = how;
      reached_.push_back(next);
    };
    for (std::size_t i = 0; one_->known && i < reached_.size(); ++i)
      visit(BothTables::entry(both_.before[reached_[i]].get(), one_->lid), reached_[i], by_old);
    for (std::size_t i = 0; i < reached_.size(); ++i)
      for (const std::uint8_t port : ways(reached_[i])) visit(port, reached_[i], newly);
  }

  /// Calls use(neighbour, own port) for those that send the LID to `s` by either table.
  template <typename Use>
  void each_sender(std::uint32_t s, const Use& use) const {
    for (std::uint32_t port = 1; port < c_.width; ++port) {
      const std::uint16_t from = c_.peers[s * c_.width + port];
      if (from >= CheckCables::kLastIndex || seen_[from] == unseen) continue;
      const std::uint8_t there = c_.far[s * c_.width + port];
      const Ways out = ways(from);
      if (out[0] == there || out[1] == there) use(from, static_cast<std::uint8_t>(port));
    }
  }

  void add(std::uint32_t channel, std::uint8_t port, std::uint8_t lane) {
    if (!base_.depends(channel, port, lane)) one_->adds.push_back({channel, port, lane});
  }

  void add_all() {
    const auto lane = static_cast<std::uint8_t>(both_.now->layer_of(*one_->to, static_cast<Lid>(one_->lid)));
    for (const std::uint32_t s : reached_) {
      const Ways out = ways(s);
      const bool all = seen_[s] == newly || changes_[s] != 0;
      for (std::size_t v = 0; v < (out[0] == out[1] ? 1U : 2U); ++v) {
        const std::uint16_t next = c_.peer(s, out[v]);
        if (next >= CheckCables::kLastIndex || (!all && changes_[next] == 0)) continue;
        for (const std::uint8_t on : ways(next))
          if (on < c_.width) add(base_.id(s, out[v], lane), on, lane);
      }
    }
  }

  /// The same where the lane depends on where a packet comes from.
  void add_by_lanes() {
    sends_.assign(c_.count, 0);
    const auto send = [this](std::uint32_t s) {
      if (seen_[s] != unseen && std::exchange(sends_[s], std::uint8_t{1}) == 0) add_from(s);
    };
    if (!one_->known || !one_->to->is_peer())
      for (const std::uint32_t s : reached_) send(s);
    for (const std::uint32_t s : one_->at) {
      send(s);
      each_sender(s, [&](std::uint32_t from, std::uint8_t) { send(from); });
      // Where it comes to by another port than before, it goes on by another lane.
      for (const std::uint8_t port : ways(s))
        if (const std::uint16_t next = c_.peer(s, port); next < CheckCables::kLastIndex) send(next);
    }
  }
  void add_from(std::uint32_t s) {
    const Ways out = ways(s);
    for (std::size_t v = 0; v < (out[0] == out[1] ? 1U : 2U); ++v) {
      const std::uint16_t next = c_.peer(s, out[v]);
      if (next >= CheckCables::kLastIndex) continue;
      const Ways onward = ways(next);
      for (std::uint32_t held = lanes_held(s, out[v]); held != 0; held &= held - 1) {
        const std::uint32_t channel = base_.id(s, out[v], static_cast<std::uint32_t>(std::countr_zero(held)));
        for (const std::uint8_t on : onward)
          if (on < c_.width) add(channel, on, lane(next, c_.far[s * c_.width + out[v]], on));
      }
    }
  }
  std::uint8_t lane(std::uint32_t s, std::uint8_t in, std::uint8_t out) const {
    return raw(
        both_.now->lanes->at(static_cast<SwitchId>(s), static_cast<PortNum>(in), static_cast<PortNum>(out)));
  }
  /// VLs by which packets leave, its own and what comes from others.
  std::uint32_t lanes_held(std::uint32_t s, std::uint8_t out) const {
    const bool talks = one_->to->is_peer() || c_.hosts[s] + c_.runs_sm[s] != 0;
    std::uint32_t held = talks ? 1U << lane(s, 0, out) : 0U;
    each_sender(s, [&](std::uint32_t, std::uint8_t in) { held |= 1U << lane(s, in, out); });
    return held;
  }

  const BothTables& both_;
  const CheckCables& c_;
  const ChannelGraph& base_;
  Single* one_ = nullptr;
  std::vector<std::uint8_t> seen_;     // by switch
  std::vector<std::uint8_t> changes_;  // by switch: its entry does
  std::vector<std::uint8_t> sends_;    // by switch
  std::vector<std::uint32_t> reached_;
};

/// Old and new tables in force at once. What the old ones make wait is known from their check, so only what
/// mixes at entries that change is added: what comes to such an entry, and what goes on from it. To peers
/// everybody sends, so their entries are taken switch by switch; LIDs to which only some do, and those whose
/// new entries may yet turn dark, are taken one by one.
class Mixture {
 public:
  /// `waits`: of the old tables; null: all is found here.
  Mixture(const Problem& problem, const Routes& old, const Routes& now, const Waits* waits)
      : both_(problem, old, now, waits),
        base_(both_.cables.peers, both_.cables.width, both_.lane_count()),
        rest_(base_),
        owner_(row_size(problem.top)),
        single_(owner_.size(), kNone) {
    for (const Destination& d : problem.destinations)
      for (std::uint32_t j = 0; j < 1U << d.lmc; ++j) owner_[raw(d.base) + j] = &d;
    list_changes();
  }
  /// Before find_cycle: for tables on the same lanes.
  void prepare(const Routes& old) {
    if (both_.old_waits) {
      list_moved_links(old);
      base_ = waits_left(*both_.old_waits, old.switches, both_.cables, *both_.problem.fabric);
    }
    choose_singles(old);
    find_rest();
  }

  std::uint64_t entries() const { return entries_; }

  /// With `now` for the new tables, which differ from the ones before only for LIDs that may turn dark.
  std::vector<Channel> find_cycle(const Routes& now) {
    both_.now = &now;
    const auto count = static_cast<std::uint32_t>(singles_.size());
    in_pieces(count, count < kWorthAThread ? 1U : both_.problem.threads,
              [this](std::uint32_t from, std::uint32_t upto) {
                SingleWaits worker(both_, base_);
                for (std::uint32_t i = from; i < upto; ++i)
                  if (singles_[i].stale) worker.find(singles_[i]);
              });
    ChannelGraph all = rest_;
    for (const Single& one : singles_)
      for (const Wait& w : one.adds) all.depend(w.channel, w.port, w.lane);
    return all.find_cycle();
  }
  /// The new entries of these may be others at the next call.
  void may_turn_dark(const std::vector<Lid>& lids) {
    bool more = false;
    for (const Lid lid : lids) {
      if (single_[raw(lid)] == kNone) {
        add_single(raw(lid), true);
        more = true;
      }
      singles_[single_[raw(lid)]].stale = true;
    }
    if (!more) return;
    for (const Change& change : changes_)
      if (const std::uint32_t i = single_[change.lid]; i != kNone && singles_[i].stale)
        singles_[i].at.push_back(change.at);
    for (Single& one : singles_) {
      std::ranges::sort(one.at);
      one.at.erase(std::ranges::unique(one.at).begin(), one.at.end());
    }
    find_rest();
  }

 private:
  static constexpr std::uint32_t kNone = ~0U;
  static constexpr std::uint32_t kWorthAThread = 32;
  struct Change {
    std::uint32_t at = 0;
    std::uint16_t lid = 0;
    auto operator<=>(const Change&) const = default;
  };

  void list_changes() {
    static const Lft nothing;
    for (std::uint32_t s = 0; s < both_.cables.count; ++s) {
      const Lft* before = both_.before[s].get();
      const Lft& now = *both_.now->lfts[s];
      each_difference(before ? *before : nothing, now, [&](std::size_t lid) {
        // A switch that is new says something else of every LID it knows.
        if (lid >= owner_.size() || owner_[lid] == nullptr || (!before && now[lid] == kNoWay)) return;
        changes_.push_back({s, static_cast<std::uint16_t>(lid)});
        entries_ += before ? 1 : 0;
      });
    }
  }

  /// What goes out by a link that leads to another switch than it did waits for something else, too.
  void list_moved_links(const Routes& old) {
    const CheckCables& c = both_.cables;
    const CheckCables& was = both_.old_waits->cables;
    std::vector<std::uint32_t> old_index(c.count, kNone);
    for (std::uint32_t s = 0, i = 0; s < c.count; ++s) {
      const Guid guid = both_.problem.fabric->node(static_cast<SwitchId>(s)).guid;
      while (i < old.switches.size() && old.switches[i] < guid) ++i;
      if (i < old.switches.size() && old.switches[i] == guid) old_index[s] = i;
    }
    const std::size_t differing = changes_.size();
    for (std::uint32_t s = 0; s < c.count; ++s) {
      for (std::uint32_t port = 1; port < c.width; ++port) {
        const std::uint16_t next = c.peers[s * c.width + port];
        if (next >= CheckCables::kLastIndex) continue;
        const bool same = old_index[s] != kNone && old_index[next] != kNone &&
                          was.peer(old_index[s], static_cast<std::uint8_t>(port)) == old_index[next];
        for (std::uint16_t lid = 0; !same && lid < owner_.size(); ++lid)
          if (const Ways out = both_.ways(s, lid); owner_[lid] && (out[0] == port || out[1] == port))
            changes_.push_back({s, lid});
      }
    }
    if (changes_.size() == differing) return;
    std::ranges::sort(changes_);
    changes_.erase(std::ranges::unique(changes_).begin(), changes_.end());
  }

  void choose_singles(const Routes& old) {
    const bool more_talk = !both_.old_waits || somebody_else_talks(old);
    std::vector<bool> peers;  // by LID: those that everybody talked to under the old tables
    std::vector<bool> had_owner;
    if (both_.old_waits) {
      peers.resize(both_.old_waits->longest.size());
      had_owner.resize(peers.size());
      for (const Destination& d : both_.old_waits->destinations) {
        for (std::uint32_t j = 0; j < 1U << d.lmc; ++j) {
          peers[raw(d.base) + j] = d.is_peer();
          had_owner[raw(d.base) + j] = true;
        }
      }
    }
    std::vector<bool> changes(owner_.size());
    for (const Change& change : changes_) changes[change.lid] = true;
    for (std::uint16_t lid = 0; lid < owner_.size(); ++lid) {
      const Destination* to = owner_[lid];
      if (to == nullptr) continue;
      const bool new_peer = to->is_peer() && (lid >= peers.size() || !peers[lid]);
      const bool more = new_peer || (more_talk && !to->is_peer());
      if (more || (changes[lid] && (!to->is_peer() || both_.now->lanes)))
        add_single(lid, !more && lid < had_owner.size() && had_owner[lid]);
    }
    for (const Change& change : changes_)
      if (single_[change.lid] != kNone) singles_[single_[change.lid]].at.push_back(change.at);
  }
  void add_single(std::uint16_t lid, bool known) {
    single_[lid] = static_cast<std::uint32_t>(singles_.size());
    singles_.push_back({owner_[lid], lid, {}, known, true, {}});
  }

  /// Whether there is a source of traffic to switches that was none under the old tables.
  bool somebody_else_talks(const Routes& old) const {
    return std::ranges::any_of(both_.cables.talkers, [&](std::uint32_t s) {
      const Guid guid = both_.problem.fabric->node(static_cast<SwitchId>(s)).guid;
      const auto at = std::ranges::lower_bound(old.switches, guid);
      if (at == old.switches.end() || *at != guid) return true;
      const auto was = static_cast<std::uint32_t>(at - old.switches.begin());
      return both_.old_waits->cables.hosts[was] + both_.old_waits->cables.runs_sm[was] == 0;
    });
  }

  /// rest_: all but the singles.
  void find_rest() {
    rest_ = base_;
    for (auto first = changes_.begin(); first != changes_.end();) {
      const auto last =
          std::find_if(first, changes_.end(), [&](const Change& c) { return c.at != first->at; });
      add_switch({first, last});
      first = last;
    }
  }
  void add_switch(std::span<const Change> changes) {
    const CheckCables& c = both_.cables;
    const std::uint32_t s = changes.front().at;
    here_.clear();
    for (const Change& change : changes) {
      if (single_[change.lid] != kNone) continue;
      const auto lane =
          static_cast<std::uint8_t>(both_.now->layer_of(*owner_[change.lid], static_cast<Lid>(change.lid)));
      here_.push_back({change.lid, both_.ways(s, change.lid), lane});
    }
    for (const Here& one : here_) {
      for (const std::uint8_t out : one.ways) {
        const std::uint16_t next = c.peer(s, out);
        if (next >= CheckCables::kLastIndex) continue;
        for (const std::uint8_t on : both_.ways(next, one.lid))
          if (on < c.width) rest_.depend(rest_.id(s, out, one.lane), on, one.lane);
      }
    }
    for (std::uint32_t port = 1; port < c.width && !here_.empty(); ++port) {
      const std::uint16_t from = c.peers[s * c.width + port];
      if (from >= CheckCables::kLastIndex) continue;
      const std::uint8_t there = c.far[s * c.width + port];
      for (const Here& one : here_) {
        const Ways out = both_.ways(from, one.lid);
        if (out[0] != there && out[1] != there) continue;
        for (const std::uint8_t on : one.ways)
          if (on < c.width) rest_.depend(rest_.id(from, there, one.lane), on, one.lane);
      }
    }
  }

  /// A change at the switch at hand.
  struct Here {
    std::uint16_t lid = 0;
    Ways ways{};
    std::uint8_t lane = 0;
  };

  BothTables both_;
  ChannelGraph base_;  // what is known of the old tables
  ChannelGraph rest_;
  std::vector<const Destination*> owner_;  // by LID; null: nobody
  std::vector<std::uint32_t> single_;      // by LID
  std::vector<Single> singles_;
  std::vector<Change> changes_;  // by switch, then LID
  std::uint64_t entries_ = 0;    // of them, at switches that have been there before
  std::vector<Here> here_;
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
    mixture.may_turn_dark(fewest);
    std::vector<Lft::Entry> entries;
    for (const Lid lid : fewest) entries.push_back({raw(lid), raw(kPortDrop)});
    dark.lfts[raw(at)] = std::make_shared<const Lft>(dark.lfts[raw(at)]->with(entries));
    cycle = mixture.find_cycle(dark);
  }
  if (!cycle.empty()) return std::nullopt;
  return dark;
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
  Mixture mixture(problem, old, now, old_waits);
  transition.entries = mixture.entries();
  transition.lanes_change = !same_lanes(old, now) || (levels_move && now.lanes != nullptr);
  if (transition.entries == 0 && !transition.lanes_change) return transition;
  if (!transition.lanes_change) {
    mixture.prepare(old);
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
