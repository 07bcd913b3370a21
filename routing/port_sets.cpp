#include "routing/port_sets.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include "routing/parallel.h"
#include "routing/tree_reach.h"
#include "routing/tree_shape.h"

namespace weft::routing {
namespace {

/// By switch: its place among the leaves, or their number.
std::vector<std::uint32_t> place_of_leaf(const PortSets& sets, std::size_t switches) {
  std::vector<std::uint32_t> place(switches, static_cast<std::uint32_t>(sets.leaves.size()));
  for (std::uint32_t i = 0; i < sets.leaves.size(); ++i) place[raw(sets.leaves[i])] = i;
  return place;
}

/// LIDs of the hosts of each leaf.
std::vector<std::vector<Lid>> lids_of_leaves(const Problem& problem, const PortSets& sets) {
  const std::vector<std::uint32_t> place = place_of_leaf(sets, problem.fabric->switch_count());
  std::vector<std::vector<Lid>> lids(sets.leaves.size());
  for (const Destination& d : problem.destinations)
    for (std::uint32_t j = 0; !d.is_switch() && j < 1U << d.lmc; ++j)
      lids[place[raw(d.at)]].push_back(static_cast<Lid>(raw(d.base) + j));
  return lids;
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
    known_.clear();
    out_.sets[s].assign(1, PortMask{});
    known_.emplace(PortMask{}, 0);
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

  void put(std::uint32_t t, const PortMask& ports) {
    const auto [at, fresh] = known_.emplace(ports, static_cast<std::uint16_t>(out_.sets[s_].size()));
    if (fresh) out_.sets[s_].push_back(ports);
    out_.set_of[s_ * out_.leaves.size() + place_[t]] = at->second;
  }
  void put_all(const Set& set, const PortMask& ports) {
    if (std::ranges::all_of(set, [](std::uint64_t w) { return w == 0; })) return;
    const auto [at, fresh] = known_.emplace(ports, static_cast<std::uint16_t>(out_.sets[s_].size()));
    if (fresh) out_.sets[s_].push_back(ports);
    each(set, [&](std::uint32_t t) { out_.set_of[s_ * out_.leaves.size() + place_[t]] = at->second; });
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
  std::map<PortMask, std::uint16_t> known_;
};

}  // namespace

std::size_t PortSets::memory() const {
  std::size_t bytes = set_of.size() * sizeof(set_of[0]) + leaves.size() * sizeof(leaves[0]);
  for (const auto& s : sets) bytes += sizeof(s) + s.size() * sizeof(PortMask);
  return bytes;
}

Result<PortSets> tree_port_sets(const Problem& problem, const Routes& routes) {
  if (routes.engine != "fat-tree")
    return fail(Errc::invalid, "port sets of a tree go with tables of fat-tree, not of {}", routes.engine);
  const DesignGraph graph(problem);
  const Result<TreeShape> shape = tree_shape(problem, graph);
  if (!shape) return fail(shape.error());
  const TreeReach reach(*shape, problem.threads);
  PortSets sets;
  std::vector<bool> has_hosts(shape->live);
  for (const Destination& d : problem.destinations)
    if (!d.is_switch()) has_hosts[raw(d.at)] = true;
  for (std::uint32_t s = 0; s < shape->live; ++s)
    if (has_hosts[s]) sets.leaves.push_back(static_cast<SwitchId>(s));
  sets.set_of.resize(shape->live * sets.leaves.size());
  sets.sets.resize(shape->live);
  const std::vector<std::uint32_t> place = place_of_leaf(sets, shape->live);
  const std::vector<std::vector<Lid>> lids = lids_of_leaves(problem, sets);
  in_pieces(shape->live, problem.threads, [&](std::uint32_t from, std::uint32_t upto) {
    TreeSets work(*shape, reach, routes, sets, place, lids);
    for (std::uint32_t s = from; s < upto; ++s) work.fill(s);
  });
  return sets;
}

std::size_t limit(PortSets& sets, std::size_t most) {
  const std::size_t leaves = sets.leaves.size();
  std::size_t reduced = 0;
  for (std::uint32_t s = 0; s < sets.sets.size(); ++s) {
    std::vector<std::uint32_t> used(sets.sets[s].size());
    for (std::size_t leaf = 0; leaf < leaves; ++leaf) ++used[sets.set_of[s * leaves + leaf]];
    std::vector<std::uint16_t> wide;
    for (std::uint16_t i = 1; i < used.size(); ++i)
      if (port_count(sets.sets[s][i]) > 1) wide.push_back(i);
    if (wide.size() <= most) continue;
    std::ranges::sort(wide, [&used](std::uint16_t a, std::uint16_t b) {
      return std::pair(~used[a], a) < std::pair(~used[b], b);
    });
    std::vector<bool> dropped(used.size());
    for (std::size_t i = most; i < wide.size(); ++i) dropped[wide[i]] = true;
    for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
      std::uint16_t& set = sets.set_of[s * leaves + leaf];
      if (!dropped[set]) continue;
      set = 0;
      ++reduced;
    }
  }
  return reduced;
}

}  // namespace weft::routing
