#include "routing/port_sets.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <utility>

#include "routing/parallel.h"
#include "routing/set_interner.h"
#include "routing/tree_reach.h"
#include "routing/tree_shape.h"

namespace weft::routing {
namespace {

/// Rounds of make_safe in which leaves that a table sends the same way are spared.
constexpr int kSparingRounds = 8;

/// By switch: its place among the leaves, or their number.
std::vector<std::uint32_t> place_of_leaf(const PortSets& sets, std::size_t switches) {
  std::vector<std::uint32_t> place(switches, static_cast<std::uint32_t>(sets.leaves.size()));
  for (std::uint32_t i = 0; i < sets.leaves.size(); ++i) place[raw(sets.leaves[i])] = i;
  return place;
}

PortMask static_ports(const Routes& routes, std::uint32_t s, const std::vector<Lid>& lids) {
  PortMask mask{};
  for (const Lid lid : lids)
    if (const PortNum port = routes.out(static_cast<SwitchId>(s), lid); port != kPortDrop)
      add_port(mask, raw(port));
  return mask;
}

/// The sets of one switch after another.
class TreeSets {
 public:
  TreeSets(const TreeShape& shape, const TreeReach& reach, const Routes& routes, PortSets& out,
           const std::vector<std::uint32_t>& place, const std::vector<std::vector<Lid>>& lids)
      : shape_(shape), reach_(reach), routes_(routes), out_(out), place_(place), lids_(lids) {
    leaves_.resize(reach.words());
    for (const SwitchId leaf : out.leaves) leaves_[raw(leaf) / 64] |= std::uint64_t{1} << raw(leaf) % 64;
  }

  void fill(std::uint32_t s) {
    s_ = s;
    known_.emplace(out_, s);
    left_ = leaves_;
    left_[s / 64] &= ~(std::uint64_t{1} << s % 64);
    ways_.clear();
    for (const TreeShape::Down& d : shape_.downs(s)) {
      ways_.push_back({d.child, {}});
      for (std::uint32_t j = 0; j < shape_.up[d.child].links; ++j)
        if (const std::uint8_t port = shape_.port_down(d, j); port != TreeShape::kHole)
          add_port(ways_.back().ports, port);
    }
    take(0);
    ways_.clear();
    const TreeShape::Up& up = shape_.up[s];
    for (std::uint32_t i = 0; i < up.slots; ++i) {
      if (shape_.to[up.first_to + i] >= shape_.live || !shape_.alive(s, i)) continue;
      ways_.push_back({shape_.to[up.first_to + i], {}});
      for (std::uint32_t j = 0; j < up.links; ++j)
        if (const std::uint8_t port = shape_.port(s, i, j); port != TreeShape::kHole)
          add_port(ways_.back().ports, port);
    }
    for (std::uint32_t k = 1; k < reach_.levels() && !ways_.empty(); ++k) take(k - 1);
    each(left_, [this](std::uint32_t t) { put(t, static_ports(routes_, s_, lids_[place_[t]])); });
  }

 private:
  struct Way {
    std::uint32_t to = 0;
    PortMask ports{};
  };
  using Set = std::vector<std::uint64_t>;

  template <typename Use>
  void each(const Set& set, Use&& use) const {
    for (std::uint32_t w = 0; w < set.size(); ++w)
      for (std::uint64_t bits = set[w]; bits != 0; bits &= bits - 1)
        use(w * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)));
  }

  void put(std::uint32_t t, const PortMask& ports) { out_.index(s_, place_[t]) = known_->number(ports); }
  void put_all(const Set& set, const PortMask& ports) {
    if (std::ranges::all_of(set, [](std::uint64_t w) { return w == 0; })) return;
    std::uint16_t* row = &out_.index(s_, 0);
    const std::uint16_t number = known_->number(ports);
    each(set, [&](std::uint32_t t) { row[place_[t]] = number; });
  }

  /// Leaves that the ways lead to, the neighbour going `k` links up: all ways lead there, one, or some.
  void take(std::uint32_t k) {
    Set once(left_.size());
    Set twice(left_.size());
    Set all = left_;
    PortMask every{};
    for (const Way& way : ways_) {
      const std::uint64_t* reached = reach_.row(k, way.to);
      for (std::size_t w = 0; w < left_.size(); ++w) {
        twice[w] |= once[w] & reached[w];
        once[w] |= reached[w];
        all[w] &= reached[w];
      }
      for (std::size_t w = 0; w < every.size(); ++w) every[w] |= way.ports[w];
    }
    if (ways_.empty()) return;
    put_all(all, every);
    Set some(left_.size());
    for (std::size_t w = 0; w < left_.size(); ++w) some[w] = left_[w] & ~all[w];
    Set alone(left_.size());
    for (const Way& way : ways_) {
      const std::uint64_t* reached = reach_.row(k, way.to);
      for (std::size_t w = 0; w < left_.size(); ++w) alone[w] = some[w] & reached[w] & ~twice[w];
      put_all(alone, way.ports);
    }
    for (std::size_t w = 0; w < left_.size(); ++w) some[w] &= twice[w];
    each(some, [&](std::uint32_t t) {
      PortMask ports{};
      for (const Way& way : ways_)
        if ((reach_.row(k, way.to)[t / 64] >> t % 64 & 1) != 0)
          for (std::size_t w = 0; w < ports.size(); ++w) ports[w] |= way.ports[w];
      put(t, ports);
    });
    for (std::size_t w = 0; w < left_.size(); ++w) left_[w] &= ~once[w];
  }

  const TreeShape& shape_;
  const TreeReach& reach_;
  const Routes& routes_;
  PortSets& out_;
  const std::vector<std::uint32_t>& place_;
  const std::vector<std::vector<Lid>>& lids_;
  std::uint32_t s_ = 0;
  Set leaves_;
  Set left_;  // leaves without a set yet
  std::vector<Way> ways_;
  std::optional<SetInterner> known_;
};

}  // namespace

std::size_t PortSets::memory() const {
  std::size_t bytes = set_of.size() * sizeof(set_of[0]) + row_of.size() * sizeof(row_of[0]) +
                      leaves.size() * sizeof(leaves[0]);
  for (const auto& s : class_of_arrival) bytes += sizeof(s) + s.size();
  for (const auto* of : {&sets, &spare})
    for (const auto& s : *of) bytes += sizeof(s) + s.size() * sizeof(PortMask);
  return bytes;
}

PortSets empty_sets(const Problem& problem) {
  const std::size_t count = problem.fabric->switch_count();
  PortSets sets;
  std::vector<bool> has_hosts(count);
  for (const Destination& d : problem.destinations)
    if (!d.is_switch()) has_hosts[raw(d.at)] = true;
  for (std::uint32_t s = 0; s < count; ++s)
    if (has_hosts[s]) sets.leaves.push_back(static_cast<SwitchId>(s));
  sets.class_of_arrival.resize(count);
  sets.row_of.resize(count);
  std::iota(sets.row_of.begin(), sets.row_of.end(), 0U);
  sets.set_of.resize(count * sets.leaves.size());
  sets.sets.assign(count, std::vector<PortMask>(1));
  sets.spare.resize(count);
  return sets;
}

std::vector<std::vector<Lid>> lids_of_leaves(const Problem& problem, const PortSets& sets) {
  const std::vector<std::uint32_t> place = place_of_leaf(sets, problem.fabric->switch_count());
  std::vector<std::vector<Lid>> lids(sets.leaves.size());
  for (const Destination& d : problem.destinations)
    for (std::uint32_t j = 0; !d.is_switch() && j < 1U << d.lmc; ++j)
      lids[place[raw(d.at)]].push_back(static_cast<Lid>(raw(d.base) + j));
  return lids;
}

Result<PortSets> tree_port_sets(const Problem& problem, const Routes& routes) {
  const DesignGraph graph(problem);
  const Result<TreeShape> shape = tree_shape(problem, graph);
  if (!shape) return fail(shape.error());
  const TreeReach reach(*shape, problem.threads);
  PortSets sets = empty_sets(problem);
  const std::vector<std::uint32_t> place = place_of_leaf(sets, shape->live);
  const std::vector<std::vector<Lid>> lids = lids_of_leaves(problem, sets);
  in_pieces(shape->live, problem.threads, [&](std::uint32_t from, std::uint32_t upto) {
    TreeSets work(*shape, reach, routes, sets, place, lids);
    for (std::uint32_t s = from; s < upto; ++s) work.fill(s);
  });
  return sets;
}

Result<PortSets> port_sets(const Problem& problem, const Routes& routes) {
  if (routes.engine == "fat-tree") return tree_port_sets(problem, routes);
  if (routes.engine == "dragonfly") return dragonfly_port_sets(problem, routes);
  if (routes.engine == "dragonfly+") return dragonfly_plus_port_sets(problem);
  return fail(Errc::invalid, "there are no port sets for tables of {}", routes.engine);
}

bool number_per_leaf(PortSets& sets, std::size_t groups) {
  if (sets.leaves.size() * static_cast<std::size_t>(sets.state_classes) + 1 > groups) return false;
  sets.numbering = SetNumbering::per_leaf;
  return true;
}

std::size_t limit(PortSets& sets, std::size_t most) {
  const std::size_t leaves = sets.leaves.size();
  const auto count = static_cast<std::uint32_t>(sets.sets.size());
  std::vector<std::vector<std::uint32_t>> rows(count);
  for (std::uint32_t i = 0; i < sets.row_of.size(); ++i) {
    std::vector<std::uint32_t>& of = rows[i % count];
    if (std::ranges::find(of, sets.row_of[i]) == of.end()) of.push_back(sets.row_of[i]);
  }
  std::size_t reduced = 0;
  for (std::uint32_t s = 0; s < count; ++s) {
    std::vector<std::uint32_t> used(sets.sets[s].size());
    const auto each = [&](auto&& use) {
      for (const std::uint32_t row : rows[s])
        for (std::size_t leaf = 0; leaf < leaves; ++leaf) use(sets.set_of[row * leaves + leaf]);
    };
    each([&used](std::uint16_t set) { ++used[set]; });
    std::vector<std::uint16_t> wide;
    for (std::uint16_t i = 1; i < used.size(); ++i)
      if (port_count(sets.sets[s][i]) > 1) wide.push_back(i);
    if (wide.size() <= most) continue;
    std::ranges::sort(wide, [&used](std::uint16_t a, std::uint16_t b) {
      return std::pair(~used[a], a) < std::pair(~used[b], b);
    });
    std::vector<bool> dropped(used.size());
    for (std::size_t i = most; i < wide.size(); ++i) dropped[wide[i]] = true;
    each([&](std::uint16_t& set) {
      if (!dropped[set]) return;
      set = 0;
      ++reduced;
    });
  }
  return reduced;
}

namespace {

/// Takes away the choice of what sends to a leaf by a port of a credit cycle: `sparing` leaves of which a LID
/// goes that way by the tables. Returns how many entries lost it.
std::size_t break_cycles(const Routes& routes, const std::vector<std::vector<Lid>>& lids,
                         const std::vector<std::vector<Channel>>& cycles, bool sparing, PortSets& sets) {
  std::size_t lost = 0;
  for (const std::vector<Channel>& cycle : cycles)
    for (const Channel& hop : cycle)
      for (std::size_t leaf = 0; leaf < sets.leaves.size(); ++leaf) {
        const auto goes = [&](Lid lid) { return routes.out(hop.from, lid) == hop.port; };
        if (sparing && std::ranges::any_of(lids[leaf], goes)) continue;
        for (std::uint32_t c = 0; c < static_cast<std::uint32_t>(sets.state_classes); ++c) {
          if (!has_port(sets.at(raw(hop.from), leaf, c), raw(hop.port))) continue;
          sets.index(raw(hop.from), leaf, c) = 0;
          ++lost;
        }
      }
  return lost;
}

/// Likewise at all switches, for leaves.
std::size_t leave_to_tables(const std::vector<std::uint32_t>& leaves, PortSets& sets) {
  std::size_t lost = 0;
  for (const std::uint32_t leaf : leaves)
    for (const std::uint32_t row : sets.row_of)
      lost += std::exchange(sets.set_of[row * sets.leaves.size() + leaf], std::uint16_t{0}) != 0 ? 1U : 0U;
  return lost;
}

}  // namespace

Settled make_safe(const Problem& problem, const Routes& routes, PortSets& sets) {
  Settled settled;
  const std::vector<std::vector<Lid>> lids = lids_of_leaves(problem, sets);
  for (int round = 0;; ++round) {
    settled.report = check_sets(problem, routes, sets);
    if (settled.report.safe()) return settled;
    std::size_t lost = leave_to_tables(settled.report.loops, sets);
    lost += break_cycles(routes, lids, settled.report.cycles, round < kSparingRounds, sets);
    if (lost == 0) lost = break_cycles(routes, lids, settled.report.cycles, false, sets);
    if (lost == 0) return settled;
    settled.lost += lost;
  }
}

}  // namespace weft::routing
