#pragma once
// Mixture: old and new tables in force at once, and the cycles that close only then. Inside of transition.cpp
// only.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "routing/parallel.h"
#include "routing/single_waits.h"

namespace weft::routing {

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

  /// With `now` for the new tables, which differ from the ones before only for LIDs that may turn dark. Some
  /// cycles, at most kCycles at a time.
  std::vector<std::vector<Channel>> find_cycles(const Routes& now) {
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
    // What is known of the old tables has passed the check.
    if (!all.closes_cycle(base_)) return {};
    return all.find_cycles(kCycles, kTries);
  }

  /// A new entry: at a switch, of a LID.
  struct Change {
    std::uint32_t at = 0;
    std::uint16_t lid = 0;
    auto operator<=>(const Change&) const = default;
  };
  /// New entries without which `held` does not wait for `next`; nothing where it does under the old tables
  /// alone, or for another reason than such an entry.
  std::vector<Change> culprits(const Channel& held, const Channel& next) const {
    const auto s = static_cast<std::uint32_t>(raw(held.from));
    const auto n = static_cast<std::uint32_t>(raw(next.from));
    const std::uint32_t channel = base_.id(s, raw(held.port), raw(held.vl));
    std::vector<Change> found;
    if (base_.depends(channel, raw(next.port), raw(next.vl))) return found;
    for (const std::uint16_t lid : suspects(s, n)) {
      if (owner_[lid] == nullptr || !adds(lid, channel, held, next)) continue;
      const Ways here = both_.ways(s, lid);
      const Ways there = both_.ways(n, lid);
      if (here[0] != raw(held.port))
        found.push_back({s, lid});
      else if (there[0] != raw(next.port))
        found.push_back({n, lid});
      else if (!add_all_of(lid, found))
        return {};
    }
    return found;
  }
  bool is_peer(std::uint16_t lid) const { return owner_[lid]->is_peer(); }

  /// The new entries of these may be others at the next call.
  void may_turn_dark(const std::vector<Change>& entries) {
    bool more = false;
    for (const Change& entry : entries) {
      if (single_[entry.lid] == kNone) {
        add_single(entry.lid, true);
        more = true;
      }
      singles_[single_[entry.lid]].stale = true;
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
  static constexpr std::size_t kCycles = 64;
  static constexpr std::size_t kTries = 2;

  /// Traffic to the LID comes to the two switches only since others send it there: without any new entry it
  /// does not.
  bool add_all_of(std::uint16_t lid, std::vector<Change>& entries) const {
    if (single_[lid] == kNone || !singles_[single_[lid]].known) return false;
    for (const std::uint32_t at : singles_[single_[lid]].at) entries.push_back({at, lid});
    return !singles_[single_[lid]].at.empty();
  }
  /// LIDs that may make what leaves `s` for `n` wait otherwise than by the old tables: peers that change at
  /// either, and those looked at one by one.
  std::vector<std::uint16_t> suspects(std::uint32_t s, std::uint32_t n) const {
    std::vector<std::uint16_t> lids;
    for (const std::uint32_t at : {s, n})
      for (const Change& change : std::ranges::equal_range(changes_, at, {}, &Change::at))
        lids.push_back(change.lid);
    for (const Single& one : singles_) lids.push_back(one.lid);
    std::ranges::sort(lids);
    lids.erase(std::ranges::unique(lids).begin(), lids.end());
    return lids;
  }
  /// Whether the LID, by whatever entries, makes a channel wait for the next.
  bool adds(std::uint16_t lid, std::uint32_t channel, const Channel& held, const Channel& next) const {
    const Ways here = both_.ways(raw(held.from), lid);
    const Ways there = both_.ways(raw(next.from), lid);
    const bool leads = (here[0] == raw(held.port) || here[1] == raw(held.port)) &&
                       (there[0] == raw(next.port) || there[1] == raw(next.port));
    if (!leads) return false;
    if (single_[lid] == kNone)
      return owner_[lid]->is_peer() &&
             both_.now->layer_of(*owner_[lid], static_cast<Lid>(lid)) == static_cast<int>(raw(held.vl));
    return std::ranges::any_of(singles_[single_[lid]].adds, [&](const Wait& w) {
      return w.channel == channel && w.port == raw(next.port) && w.lane == raw(next.vl);
    });
  }

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

}  // namespace weft::routing
