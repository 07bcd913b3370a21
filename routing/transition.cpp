#include "routing/transition.h"

#include <algorithm>
#include <utility>

#include "routing/check.h"
#include "routing/held_transition.h"
#include "routing/mixture.h"

namespace weft::routing {
namespace {

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

/// The new entries by which a cycle can be broken at one of its waits: where that takes fewest from peers,
/// then where it takes fewest.
std::vector<Mixture::Change> weakest_wait(const Mixture& mixture, const std::vector<Channel>& cycle) {
  std::vector<Mixture::Change> best;
  std::pair<std::size_t, std::size_t> least{~std::size_t{0}, 0};
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    std::vector<Mixture::Change> entries = mixture.culprits(cycle[i], cycle[(i + 1) % cycle.size()]);
    const auto peers = static_cast<std::size_t>(
        std::ranges::count_if(entries, [&](const auto& e) { return mixture.is_peer(e.lid); }));
    if (entries.empty() || std::pair(peers, entries.size()) >= least) continue;
    least = {peers, entries.size()};
    best = std::move(entries);
  }
  return best;
}

/// The new tables with the entries at 255 that close cycles with old ones. Nothing when that does not come to
/// an end soon.
std::optional<Routes> darken(const Routes& now, Mixture& mixture, std::vector<std::vector<Channel>> cycles) {
  constexpr int kRounds = 32;
  Routes dark = now;
  dark.basis = nullptr;
  dark.notes.clear();
  for (int i = 0; i < kRounds && !cycles.empty(); ++i) {
    std::vector<Mixture::Change> entries;
    for (const std::vector<Channel>& cycle : cycles) {
      const std::vector<Mixture::Change> some = weakest_wait(mixture, cycle);
      if (some.empty()) return std::nullopt;
      entries.insert(entries.end(), some.begin(), some.end());
    }
    std::ranges::sort(entries);
    entries.erase(std::ranges::unique(entries).begin(), entries.end());
    mixture.may_turn_dark(entries);
    for (auto first = entries.begin(); first != entries.end();) {
      std::vector<Lft::Entry> at_one;
      const std::uint32_t at = first->at;
      for (; first != entries.end() && first->at == at; ++first)
        at_one.push_back({first->lid, raw(kPortDrop)});
      dark.lfts[at] = std::make_shared<const Lft>(dark.lfts[at]->with(at_one));
    }
    cycles = mixture.find_cycles(dark);
  }
  if (!cycles.empty()) return std::nullopt;
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

/// `transition`: with what is known already of why no order is good. `unsure`: some old entries are not
/// known.
Transition find_way(const Problem& problem, const Routes& old, const Routes& now, Transition transition,
                    const Waits* old_waits, bool unsure = false) {
  Mixture mixture(problem, old, now, old_waits);
  transition.entries = mixture.entries();
  if (transition.entries == 0 && !transition.lanes_change) return transition;
  if (!transition.lanes_change && !unsure) {
    mixture.prepare(old);
    std::vector<std::vector<Channel>> cycles = mixture.find_cycles(now);
    if (cycles.empty()) return transition;
    transition.cycle = cycles.front();
    transition.dark = darken(now, mixture, std::move(cycles));
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

}  // namespace

Transition find_transition(const Problem& problem, const Routes& old, const Routes& now, bool levels_move,
                           const Waits* old_waits) {
  Transition begun;
  begun.lanes_change = !same_lanes(old, now) || (levels_move && now.lanes != nullptr);
  return find_way(problem, old, now, std::move(begun), old_waits);
}

Transition find_transition_from_held(const Problem& problem, const Routes& held, const Routes& now,
                                     bool lanes_move, bool unsure) {
  Transition begun;
  begun.lanes_change = lanes_move;
  return find_way(problem, held, now, std::move(begun), nullptr, unsure);
}

}  // namespace weft::routing
