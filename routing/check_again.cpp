// A fault changes few entries. From each of them the LID is followed to its end: where all arrive in as many
// links as before, so does everybody else, since the rest of the way is as it was. LIDs for which that is not
// so, whose owner is another or to which only some talk are followed from everywhere, like in check(). What
// waited before still waits, but for what changed entries made wait: of that, what no other LID's entries
// make wait falls away.

#include <algorithm>
#include <map>
#include <memory>
#include <span>

#include "routing/check_piece.h"
#include "routing/parallel.h"
#include "routing/way_lengths.h"

namespace weft::routing {
namespace {

class Rechecker {
 public:
  Rechecker(const Problem& problem, const Routes& routes, const Routes& before, const Waits& old)
      : problem_(problem),
        routes_(routes),
        before_(before),
        old_(old),
        now_(std::make_shared<Waits>(problem, 1)),
        cables_(now_->cables),
        changed_(row_size(problem.top)),
        follow_(changed_.size()),
        old_lengths_(before, old.cables),
        suspects_(cables_.peers, cables_.width, 1),
        fresh_(suspects_) {}

  /// False when the report before says nothing of these tables.
  bool comparable() {
    if (!hangs_together(cables_) || !hangs_together(old_.cables)) return false;
    std::size_t talkers = 0;
    for (std::uint32_t s = 0; s < cables_.count; ++s) {
      const auto at = std::ranges::lower_bound(before_.switches, guid(s));
      if (at == before_.switches.end() || *at != guid(s)) return false;
      was_.push_back(static_cast<std::uint32_t>(at - before_.switches.begin()));
      const bool is_linked = linked(cables_, s);
      linked_.push_back(is_linked ? 1 : 0);
      const bool was_linked = linked(old_.cables, was_[s]);
      const bool talked = old_.cables.hosts[was_[s]] + old_.cables.runs_sm[was_[s]] != 0;
      if (talked != talks(s) || (is_linked != was_linked && (is_linked || talked))) return false;
      talkers += talked ? 1 : 0;
    }
    if (talkers != old_.cables.talkers.size()) return false;
    find_owners();
    find_changes();
    find_shortened();
    find_lengthened();
    return static_cast<std::size_t>(std::ranges::count(changed_, true)) * 2 <= owned_.size();
  }

  CheckReport report() {
    CheckReport report;
    follow(report);
    report.pairs = 0;
    for (const auto& [lid, to] : owned_) {
      report.pairs += pairs_to(cables_, *to);
      if (!follow_[lid]) now_->longest[lid] = old_.longest[lid];
      report.longest = std::max<int>(report.longest, now_->longest[lid]);
    }
    each_switch([this](std::uint16_t lid) { return follow_[lid]; },
                [this](std::span<const Entry> entries) { add_waits(entries); });
    suspect();
    now_->channels = waits_left(old_, before_.switches, cables_, *problem_.fabric);
    const ChannelGraph left = now_->channels;  // a part of what was free of cycles
    for (const Suspect& one : suspected_) {
      const std::uint32_t channel = fresh_.id(one.at, one.port);
      if (now_->channels.depends(channel, one.out) && !fresh_.depends(channel, one.out) && !still_waits(one))
        now_->channels.forget(channel, one.out);
    }
    now_->channels.merge(fresh_);
    if (now_->channels.closes_cycle(left)) report.cycle = now_->channels.find_cycle();
    report.waits = now_;
    return report;
  }

 private:
  using Owned = std::pair<std::uint16_t, const Destination*>;
  struct Entry {
    std::uint32_t at = 0;
    std::uint16_t lid = 0;
    auto operator<=>(const Entry&) const = default;
  };
  /// That something may no longer wait, as the LID no longer makes it wait.
  struct Suspect {
    std::uint32_t at = 0;
    std::uint8_t port = 0;
    std::uint8_t out = 0;
    std::uint16_t lid = 0;
  };

  static bool linked(const CheckCables& cables, std::uint32_t s) {
    const auto first = cables.peers.begin() + static_cast<std::ptrdiff_t>(std::size_t{s} * cables.width);
    return std::any_of(first, first + cables.width,
                       [](std::uint16_t p) { return p < CheckCables::kLastIndex; });
  }
  /// All but switches that are linked to no other.
  static bool hangs_together(const CheckCables& cables) {
    const auto in_part = [&cables](std::uint32_t s) { return linked(cables, s); };
    const auto first = std::ranges::find_if(cables.all, in_part);
    return first != cables.all.end() && std::ranges::all_of(cables.all, [&](std::uint32_t s) {
             return cables.part[s] == cables.part[*first] || !in_part(s);
           });
  }

  Guid guid(std::uint32_t s) const { return problem_.fabric->node(static_cast<SwitchId>(s)).guid; }
  bool talks(std::uint32_t s) const { return cables_.hosts[s] + cables_.runs_sm[s] != 0; }
  std::uint8_t entry(std::uint32_t s, std::uint16_t lid) const {
    return raw(routes_.out(static_cast<SwitchId>(s), static_cast<Lid>(lid)));
  }
  std::uint8_t old_entry(std::uint32_t s, std::uint16_t lid) const {
    return raw(before_.out(static_cast<SwitchId>(was_[s]), static_cast<Lid>(lid)));
  }
  bool same_link(std::uint32_t s, std::uint8_t port) const {
    const std::uint16_t was = old_.cables.peer(was_[s], port);
    const std::uint16_t is = cables_.peer(s, port);
    return is < CheckCables::kLastIndex ? was == was_[is] : was == is;
  }

  void find_owners() {
    owner_.resize(changed_.size());
    for (const Destination& d : problem_.destinations) {
      for (std::uint32_t j = 0; j < 1U << d.lmc; ++j) {
        owned_.emplace_back(static_cast<std::uint16_t>(raw(d.base) + j), &d);
        owner_[raw(d.base) + j] = &d;
      }
    }
    for (const Destination& d : old_.destinations)
      for (std::uint32_t j = 0; j < 1U << d.lmc; ++j)
        was_owned_.emplace_back(static_cast<std::uint16_t>(raw(d.base) + j), &d);
  }

  /// changed_: LIDs with another owner or entry; whole_: those of which everything may have waited otherwise;
  /// entries_: where.
  void find_changes() {
    auto was = was_owned_.begin();
    for (const auto& [lid, to] : owned_) {
      for (; was != was_owned_.end() && was->first < lid; ++was) whole_.push_back(was->first);  // gone
      const bool known = was != was_owned_.end() && was->first == lid;
      const bool same = known && linked_[raw(to->at)] != 0 && was_[raw(to->at)] == raw(was->second->at) &&
                        to->port == was->second->port && to->is_peer() == was->second->is_peer();
      if (!same) changed_[lid] = follow_[lid] = true;
      if (known && !same) whole_.push_back(lid);
      if (known) ++was;
    }
    for (; was != was_owned_.end(); ++was) whole_.push_back(was->first);
    for (std::uint32_t s = 0; s < cables_.count; ++s)
      if (linked_[s] != 0) find_changes_at(s);  // nobody else's traffic meets the table of another
    for (const auto& [lid, to] : owned_) {
      if (!changed_[lid] || to->is_peer()) continue;
      whole_.push_back(lid);
      follow_[lid] = true;
    }
  }
  void find_changes_at(std::uint32_t s) {
    const auto first = static_cast<std::ptrdiff_t>(entries_.size());
    const auto change = [&](std::size_t lid) {
      if (lid >= owner_.size() || owner_[lid] == nullptr) return;
      changed_[lid] = true;
      entries_.push_back({s, static_cast<std::uint16_t>(lid)});
    };
    const Lft& row = *routes_.lfts[s];
    each_difference(*before_.lfts[was_[s]], row, change);
    bool twice = false;
    for (std::uint32_t port = 1; port < std::max(cables_.width, old_.cables.width); ++port) {
      if (same_link(s, static_cast<std::uint8_t>(port))) continue;
      twice = true;
      for (std::size_t lid = 0; lid < row.size(); ++lid)
        if (row[lid] == port) change(lid);
    }
    if (!twice) return;
    std::sort(entries_.begin() + first, entries_.end());
    entries_.erase(std::unique(entries_.begin() + first, entries_.end()), entries_.end());
  }

  /// A source of traffic that is gone may have had the longest way of all to a LID.
  void find_shortened() {
    std::vector<bool> is_linked(before_.switches.size());
    for (std::uint32_t s = 0; s < cables_.count; ++s) is_linked[was_[s]] = linked_[s] != 0;
    for (std::uint32_t s = 0; s < is_linked.size(); ++s) {
      if (is_linked[s] || !linked(old_.cables, s)) continue;
      for (const auto& [lid, to] : owned_) {
        if (follow_[lid] || !to->is_peer()) continue;
        old_lengths_.begin(lid, was_[raw(to->at)]);
        if (old_lengths_.from(s) == old_.longest[lid]) changed_[lid] = follow_[lid] = true;
      }
    }
  }

  /// From where an entry changes it must be as far as it was; else it may be farther from elsewhere, too. LID
  /// by LID, since most ways to one of them meet.
  void find_lengthened() {
    std::vector<std::uint32_t> end(changed_.size() + 1);  // by LID: where its entries end in by_lid
    for (const Entry& e : entries_) ++end[e.lid];
    for (std::size_t lid = 1; lid < end.size(); ++lid) end[lid] += end[lid - 1];
    std::vector<std::uint32_t> by_lid(entries_.size());
    for (std::size_t i = entries_.size(); i-- > 0;) by_lid[--end[entries_[i].lid]] = entries_[i].at;
    WayLengths lengths(routes_, cables_);
    for (std::size_t lid = 0; lid < changed_.size(); ++lid) {
      const std::size_t first = end[lid];
      const std::size_t last = lid + 1 < end.size() ? end[lid + 1] : by_lid.size();
      if (first == last || follow_[lid]) continue;
      const std::uint32_t to = raw(owner_[lid]->at);
      lengths.begin(static_cast<std::uint16_t>(lid), to);
      old_lengths_.begin(static_cast<std::uint16_t>(lid), was_[to]);
      for (std::size_t i = first; i < last && !follow_[lid]; ++i)
        follow_[lid] = !delivers_from(by_lid[i], static_cast<std::uint16_t>(lid), to) ||
                       lengths.from(by_lid[i]) == WayLengths::kNever ||
                       lengths.from(by_lid[i]) != old_lengths_.from(was_[by_lid[i]]);
    }
  }
  bool delivers_from(std::uint32_t s, std::uint16_t lid, std::uint32_t to) const {
    if (s != to) return true;
    const std::uint8_t port = raw(owner_[lid]->port);
    const std::uint16_t behind = cables_.peer(to, port);
    const bool ends = behind == CheckCables::kEnd || (owner_[lid]->away && behind == CheckCables::kDead);
    return entry(to, lid) == port && ends;
  }

  /// In pieces side by side, each with some of the LIDs to be followed.
  void follow(CheckReport& report) {
    constexpr std::ptrdiff_t kWorthAThread = 32;
    const std::ptrdiff_t lids = std::ranges::count(follow_, true);
    if (lids == 0) return;
    const auto pieces = lids < kWorthAThread ? 1U : std::clamp(problem_.threads, 1U, 8U);
    std::vector<std::vector<bool>> parts(pieces, std::vector<bool>(follow_.size()));
    std::vector<CheckPiece> work;
    work.reserve(pieces);
    std::ptrdiff_t done = 0;
    std::uint32_t piece = 0;
    for (std::size_t lid = 0; lid < follow_.size(); ++lid) {
      if (lid % CheckPiece::kBlock == 0 && done * pieces >= lids * (piece + 1)) ++piece;
      if (!follow_[lid]) continue;
      ++done;
      parts[std::min(piece, pieces - 1)][lid] = true;
    }
    for (std::uint32_t i = 0; i < pieces; ++i) work.emplace_back(problem_, routes_, cables_, now_->longest);
    const std::uint32_t blocks = raw(problem_.top) / CheckPiece::kBlock + 1;
    in_pieces(pieces, pieces, [&](std::uint32_t from, std::uint32_t upto) {
      for (std::uint32_t i = from; i < upto; ++i) work[i].run(0, blocks, &parts[i]);
    });
    for (CheckPiece& one : work) fresh_.merge(one.finish(report));
  }

  /// What entries for peers make wait: everybody's packets to them come by. All are of one switch.
  void add_waits(std::span<const Entry> entries) {
    for (const Entry& e : entries) {
      const std::uint8_t port = entry(e.at, e.lid);
      if (const std::uint16_t next = cables_.peer(e.at, port); next < CheckCables::kLastIndex)
        if (const std::uint8_t out = entry(next, e.lid); out < cables_.width)
          fresh_.depend(fresh_.id(e.at, port), out);
    }
    each_sender(entries, routes_, nullptr, [&](const Entry& e, std::uint32_t from, std::uint8_t by) {
      if (const std::uint8_t port = entry(e.at, e.lid); port < cables_.width)
        fresh_.depend(fresh_.id(from, by), port);
    });
  }
  /// Calls use(entry, neighbour, its port) for those whose table sends the entry's LID to its switch, the
  /// same for all; `index`: where the table has each switch, null for where it is.
  template <typename Use>
  void each_sender(std::span<const Entry> entries, const Routes& routes, const std::uint32_t* index,
                   const Use& use) const {
    if (entries.empty()) return;
    const std::uint16_t* peers = &cables_.peers[std::size_t{entries.front().at} * cables_.width];
    const std::uint8_t* far = &cables_.far[std::size_t{entries.front().at} * cables_.width];
    for (std::uint32_t port = 1; port < cables_.width; ++port) {
      if (peers[port] >= CheckCables::kLastIndex) continue;
      const Lft& row = *routes.lfts[index ? index[peers[port]] : peers[port]];
      for (const Entry& e : entries)
        if (e.lid < row.size() && row[e.lid] == far[port]) use(e, peers[port], far[port]);
    }
  }
  /// Calls use(entries) for those of each switch that are not passed over.
  template <typename Pass, typename Use>
  void each_switch(const Pass& pass, const Use& use) const {
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (!pass(entries_[i].lid)) entries.push_back(entries_[i]);
      if (i + 1 < entries_.size() && entries_[i + 1].at == entries_[i].at) continue;
      use(std::span<const Entry>(entries));
      entries.clear();
    }
  }

  void suspect() {
    std::vector<bool> is_whole(changed_.size());
    for (const std::uint16_t lid : whole_) {
      if (lid < is_whole.size()) is_whole[lid] = true;
      find_old_use(lid);
      for (std::uint32_t s = 0; s < cables_.count; ++s)
        if (old_use_[was_[s]] != 0) suspect_from(s, lid);
    }
    each_switch([&](std::uint16_t lid) { return is_whole[lid]; },
                [this](std::span<const Entry> entries) {
                  for (const Entry& e : entries) suspect_from(e.at, e.lid);
                  each_sender(entries, before_, was_.data(),
                              [&](const Entry& e, std::uint32_t from, std::uint8_t by) {
                                const std::uint8_t out = old_entry(e.at, e.lid);
                                if (out < cables_.width) suspect({from, by, out, e.lid});
                              });
                });
  }
  /// old_use_: switches that traffic to the LID met by the old tables.
  void find_old_use(std::uint16_t lid) {
    const auto to = std::ranges::lower_bound(was_owned_, lid, {}, &Owned::first);
    const bool by_all = to != was_owned_.end() && to->first == lid && to->second->is_peer();
    old_use_.assign(before_.switches.size(), by_all ? 1 : 0);
    if (by_all) return;
    for (std::uint32_t s : old_.cables.talkers) {
      while (s < CheckCables::kLastIndex && old_use_[s] == 0) {
        old_use_[s] = 1;
        s = old_.cables.peer(s, raw(before_.out(static_cast<SwitchId>(s), static_cast<Lid>(lid))));
      }
    }
  }
  /// What the LID made wait behind `s`.
  void suspect_from(std::uint32_t s, std::uint16_t lid) {
    const std::uint8_t port = old_entry(s, lid);
    const std::uint16_t next = cables_.peer(s, port);
    if (next >= CheckCables::kLastIndex) return;
    const std::uint8_t out = old_entry(next, lid);
    if (out < cables_.width) suspect({s, port, out, lid});
  }
  void suspect(const Suspect& one) {
    const std::uint32_t channel = suspects_.id(one.at, one.port);
    if (suspects_.depends(channel, one.out)) return;
    suspects_.depend(channel, one.out);
    suspected_.push_back(one);
  }

  /// Whether a LID that was not followed goes out of a switch by a port, and by `out` at the next one. Mostly
  /// one does with a number close to the suspect's, or to one that did where the same two ports were asked
  /// for.
  bool still_waits(const Suspect& one) {
    std::uint16_t& near = near_.try_emplace({one.port, one.out}, one.lid).first->second;
    const Lft& here = *routes_.lfts[one.at];
    const Lft& there = *routes_.lfts[cables_.peers[one.at * cables_.width + one.port]];
    const std::size_t blocks = std::min(here.size(), there.size()) / Lft::kBlock;
    std::vector<std::uint16_t> of_some;  // to which only some talk
    for (std::size_t i = 0; i < blocks; ++i) {
      const std::size_t block = (near / Lft::kBlock + i) % blocks;
      const auto x = here.block(block);
      const auto y = there.block(block);
      std::uint8_t any = 0;
      for (std::size_t j = 0; j < Lft::kBlock; ++j)
        any |= static_cast<std::uint8_t>((x[j] == one.port ? 1 : 0) & (y[j] == one.out ? 1 : 0));
      for (std::size_t j = 0; any != 0 && j < Lft::kBlock; ++j) {
        const auto lid = static_cast<std::uint16_t>(block * Lft::kBlock + j);
        const bool waits = x[j] == one.port && y[j] == one.out && lid < owner_.size() &&
                           owner_[lid] != nullptr && !follow_[lid];
        if (!waits) continue;
        if (!owner_[lid]->is_peer()) {
          of_some.push_back(lid);
        } else if (cables_.part[one.at] == cables_.part[raw(owner_[lid]->at)]) {
          near = lid;
          return true;
        }
      }
    }
    return std::ranges::any_of(of_some,
                               [&](std::uint16_t lid) { return is_used(one.at, lid, *owner_[lid]); });
  }
  bool is_used(std::uint32_t s, std::uint16_t lid, const Destination& to) const {
    if (cables_.part[s] != cables_.part[raw(to.at)]) return false;
    if (talks(s)) return true;
    return std::ranges::any_of(cables_.talkers, [&](std::uint32_t at) {
      for (std::uint32_t steps = 0; at < CheckCables::kLastIndex && steps < cables_.count; ++steps) {
        if (at == s) return true;
        at = cables_.peer(at, entry(at, lid));
      }
      return false;
    });
  }

  const Problem& problem_;
  const Routes& routes_;
  const Routes& before_;
  const Waits& old_;
  const std::shared_ptr<Waits> now_;
  const CheckCables& cables_;
  std::vector<std::uint32_t> was_;    // by switch: the old one
  std::vector<std::uint8_t> linked_;  // by switch: to any other
  std::vector<Owned> owned_;
  std::vector<Owned> was_owned_;
  std::vector<const Destination*> owner_;  // by LID; null: nobody
  std::vector<bool> changed_;              // by LID
  std::vector<bool> follow_;               // by LID
  std::vector<std::uint16_t> whole_;       // LIDs
  std::vector<Entry> entries_;             // by switch, then LID
  WayLengths old_lengths_;
  ChannelGraph suspects_;
  std::vector<Suspect> suspected_;
  std::vector<std::uint8_t> old_use_;                                    // by old switch
  std::map<std::pair<std::uint8_t, std::uint8_t>, std::uint16_t> near_;  // by port and out: a LID
  ChannelGraph fresh_;
};

}  // namespace

CheckReport check_again(const Problem& problem, const Routes& routes, const Routes& before,
                        const CheckReport& of_before) {
  const bool plain = !routes.lanes && !before.lanes && routes.layers == 1 && before.layers == 1;
  if (!plain || !of_before.waits || !of_before.safe() || of_before.uncounted_lost != 0 ||
      !what_is_malformed(problem, routes).empty())
    return check(problem, routes);
  Rechecker again(problem, routes, before, *of_before.waits);
  if (!again.comparable()) return check(problem, routes);
  CheckReport report = again.report();
  check_capacity(problem, report);
  return report.safe() ? report : check(problem, routes);
}

std::uint64_t lost_pairs(const Problem& problem, const Routes& routes, const std::vector<bool>& lids) {
  Waits waits(problem, lanes_in(routes));
  CheckPiece piece(problem, routes, waits.cables, waits.longest);
  piece.run(0, raw(problem.top) / CheckPiece::kBlock + 1, &lids);
  CheckReport report;
  piece.finish(report);
  return report.lost;
}

}  // namespace weft::routing
