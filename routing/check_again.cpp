// A fault changes entries of few LIDs. These are followed again, like in check(). What waited before still
// waits, but for what changed entries made wait: of that, what no other LID's entries make wait falls away.

#include <algorithm>
#include <memory>

#include "routing/check_piece.h"

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
      const bool was_linked = linked(old_.cables, was_[s]);
      const bool talked = old_.cables.hosts[was_[s]] + old_.cables.runs_sm[was_[s]] != 0;
      if (talked != talks(s) || (is_linked != was_linked && (is_linked || talked))) return false;
      talkers += talked ? 1 : 0;
    }
    if (talkers != old_.cables.talkers.size()) return false;
    find_owners();
    find_changes();
    find_shortened();
    return static_cast<std::size_t>(std::ranges::count(changed_, true)) * 2 <= owned_.size();
  }

  CheckReport report() {
    CheckReport report;
    CheckPiece piece(problem_, routes_, cables_, now_->longest);
    piece.run(0, raw(problem_.top) / CheckPiece::kBlock + 1, &changed_);
    fresh_ = std::move(piece.finish(report));
    report.pairs = 0;
    for (const auto& [lid, to] : owned_) {
      report.pairs += pairs_to(cables_, *to);
      if (!changed_[lid]) now_->longest[lid] = old_.longest[lid];
      report.longest = std::max<int>(report.longest, now_->longest[lid]);
    }
    suspect();
    now_->channels = fresh_;
    each_wait_left(old_, before_.switches, cables_, *problem_.fabric,
                   [this](std::uint32_t s, PortNum port, Vl, PortNum out, Vl) {
                     const std::uint32_t channel = fresh_.id(s, raw(port));
                     if (!suspects_.depends(channel, raw(out)) || fresh_.depends(channel, raw(out)) ||
                         still_waits(s, raw(port), raw(out)))
                       now_->channels.depend(channel, raw(out));
                   });
    report.cycle = now_->channels.find_cycle();
    report.waits = now_;
    return report;
  }

 private:
  struct Entry {
    std::uint16_t lid = 0;
    std::uint32_t at = 0;
    auto operator<=>(const Entry&) const = default;
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
    for (const Destination& d : problem_.destinations)
      for (std::uint32_t j = 0; j < 1U << d.lmc; ++j)
        owned_.emplace_back(static_cast<std::uint16_t>(raw(d.base) + j), &d);
    for (const Destination& d : old_.destinations)
      for (std::uint32_t j = 0; j < 1U << d.lmc; ++j)
        was_owned_.emplace_back(static_cast<std::uint16_t>(raw(d.base) + j), &d);
  }

  /// changed_: LIDs to follow; whole_: those of which everything may have waited otherwise; entries_: of the
  /// others, where.
  void find_changes() {
    auto was = was_owned_.begin();
    for (const auto& [lid, to] : owned_) {
      for (; was != was_owned_.end() && was->first < lid; ++was) whole_.push_back(was->first);  // gone
      const bool known = was != was_owned_.end() && was->first == lid;
      const bool same = known && linked(cables_, raw(to->at)) && was_[raw(to->at)] == raw(was->second->at) &&
                        to->port == was->second->port && to->is_peer() == was->second->is_peer();
      if (!same) changed_[lid] = true;
      if (known && !same) whole_.push_back(lid);
      if (known) ++was;
    }
    for (; was != was_owned_.end(); ++was) whole_.push_back(was->first);
    std::vector<bool> is_owned(changed_.size());
    for (const auto& [lid, to] : owned_) is_owned[lid] = true;
    const auto change = [&](std::size_t lid, std::uint32_t s) {
      if (lid >= is_owned.size() || !is_owned[lid]) return;
      changed_[lid] = true;
      entries_.push_back({static_cast<std::uint16_t>(lid), s});
    };
    for (std::uint32_t s = 0; s < cables_.count; ++s) {
      if (!linked(cables_, s)) continue;  // nobody else's traffic meets its table
      const Lft& row = *routes_.lfts[s];
      each_difference(*before_.lfts[was_[s]], row, [&](std::size_t lid) { change(lid, s); });
      for (std::uint32_t port = 1; port < std::max(cables_.width, old_.cables.width); ++port) {
        if (same_link(s, static_cast<std::uint8_t>(port))) continue;
        for (std::size_t lid = 0; lid < row.size(); ++lid)
          if (row[lid] == port) change(lid, s);
      }
    }
    std::ranges::sort(entries_);
    for (const auto& [lid, to] : owned_)
      if (changed_[lid] && !to->is_peer()) whole_.push_back(lid);
  }

  /// A source of traffic that is gone may have had the longest way of all to a LID.
  void find_shortened() {
    std::vector<bool> is_linked(before_.switches.size());
    for (std::uint32_t s = 0; s < cables_.count; ++s) is_linked[was_[s]] = linked(cables_, s);
    for (std::uint32_t s = 0; s < is_linked.size(); ++s) {
      if (is_linked[s] || !linked(old_.cables, s)) continue;
      for (const auto& [lid, to] : owned_)
        if (!changed_[lid] && to->is_peer() && old_length(s, lid, was_[raw(to->at)]) == old_.longest[lid])
          changed_[lid] = true;
    }
  }
  std::uint32_t old_length(std::uint32_t s, std::uint16_t lid, std::uint32_t to) const {
    std::uint32_t length = 0;
    for (; s != to && s < CheckCables::kLastIndex; ++length)
      s = old_.cables.peer(s, raw(before_.out(static_cast<SwitchId>(s), static_cast<Lid>(lid))));
    return length;
  }

  void suspect() {
    for (const std::uint16_t lid : whole_)
      for (std::uint32_t s = 0; s < cables_.count; ++s) suspect_from(s, lid);
    for (const Entry& e : entries_) {
      suspect_from(e.at, e.lid);
      for (std::uint32_t port = 1; port < cables_.width; ++port) {
        const std::uint16_t from = cables_.peers[e.at * cables_.width + port];
        if (from < CheckCables::kLastIndex &&
            old_entry(from, e.lid) == cables_.far[e.at * cables_.width + port])
          suspect_from(from, e.lid);
      }
    }
  }
  /// What the LID made wait behind `s`.
  void suspect_from(std::uint32_t s, std::uint16_t lid) {
    const std::uint8_t port = old_entry(s, lid);
    const std::uint16_t next = cables_.peer(s, port);
    if (next >= CheckCables::kLastIndex) return;
    const std::uint8_t out = old_entry(next, lid);
    if (out < cables_.width) suspects_.depend(suspects_.id(s, port), out);
  }

  /// Whether a LID that has not changed goes out of `s` by a port, and by `out` at the next switch.
  bool still_waits(std::uint32_t s, std::uint8_t port, std::uint8_t out) {
    const Lft& here = *routes_.lfts[s];
    const Lft& there = *routes_.lfts[cables_.peers[s * cables_.width + port]];
    const std::size_t upto = std::min(here.size(), there.size());
    return std::ranges::any_of(owned_, [&](const auto& lid_to) {
      const auto& [lid, to] = lid_to;
      return lid < upto && here[lid] == port && there[lid] == out && !changed_[lid] && is_used(s, lid, *to);
    });
  }
  bool is_used(std::uint32_t s, std::uint16_t lid, const Destination& to) const {
    if (cables_.part[s] != cables_.part[raw(to.at)]) return false;
    if (to.is_peer() || talks(s)) return true;
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
  std::vector<std::uint32_t> was_;  // by switch: the old one
  std::vector<std::pair<std::uint16_t, const Destination*>> owned_;
  std::vector<std::pair<std::uint16_t, const Destination*>> was_owned_;
  std::vector<bool> changed_;         // by LID
  std::vector<std::uint16_t> whole_;  // LIDs
  std::vector<Entry> entries_;
  ChannelGraph suspects_;
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
