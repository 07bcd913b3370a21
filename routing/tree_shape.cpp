#include "routing/tree_shape.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/words.h"

namespace weft::routing {
namespace {

constexpr std::uint32_t kNone = ~0U;

using Ranks = std::vector<std::uint32_t>;  // by switch of the design graph

/// Distance from the nearest of `from`; kNone where there is none.
Ranks distance(const DesignGraph& graph, std::vector<std::uint32_t> from) {
  Ranks far(graph.size(), kNone);
  for (const std::uint32_t s : from) far[s] = 0;
  for (std::size_t next = 0; next < from.size(); ++next) {
    for (const DesignGraph::End& e : graph.ends_of(from[next])) {
      if (far[e.to] != kNone) continue;
      far[e.to] = far[from[next]] + 1;
      from.push_back(e.to);
    }
  }
  return far;
}

/// The first edge that does not join neighbouring ranks, or null.
const DesignGraph::Edge* misfit(const DesignGraph& graph, const Ranks& rank) {
  const auto fits = [&rank](const DesignGraph::Edge& e) {
    return rank[e.a] != kNone && (rank[e.a] + 1 == rank[e.b] || rank[e.b] + 1 == rank[e.a]);
  };
  const auto at = std::ranges::find_if_not(graph.edges, fits);
  return at == graph.edges.end() ? nullptr : &*at;
}

/// Switches no leaf reaches rank 0, if they have no links; else there is no rank for them.
void rank_lonely(const DesignGraph& graph, Ranks& rank) {
  for (std::uint32_t s = 0; s < graph.size(); ++s)
    if (rank[s] == kNone && graph.ends_of(s).empty()) rank[s] = 0;
}

std::vector<std::uint32_t> with_hosts(const DesignGraph& graph, std::size_t least) {
  std::vector<std::uint32_t> leaves;
  for (std::uint32_t s = 0; s < graph.size(); ++s)
    if (graph.host_ports[s].count() >= least) leaves.push_back(s);
  return leaves;
}

Ranks upside_down(const DesignGraph& graph, const std::vector<std::uint32_t>& roots) {
  Ranks rank = distance(graph, roots);
  std::uint32_t deepest = 0;
  for (const std::uint32_t r : rank)
    if (r != kNone) deepest = std::max(deepest, r);
  for (std::uint32_t& r : rank)
    if (r != kNone) r = deepest - r;
  return rank;
}

std::string name(const Problem& problem, const DesignGraph& graph, std::uint32_t s) {
  return s < graph.live ? describe(problem.fabric->node(static_cast<SwitchId>(s)))
                        : to_string(graph.guids[s]);
}

/// The first switch whose rank is not the one given; its index, or the number of switches.
std::uint32_t contradiction(const Problem& problem, const DesignGraph& graph, const Ranks& rank) {
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    const auto at =
        std::ranges::lower_bound(problem.ranks, graph.guids[s], {}, &std::pair<Guid, std::uint32_t>::first);
    if (at != problem.ranks.end() && at->first == graph.guids[s] && at->second != rank[s]) return s;
  }
  return graph.size();
}

/// From the switches given the lowest rank up, and from those given the highest down.
void try_given(const Problem& problem, const DesignGraph& graph, std::vector<Ranks>& tries) {
  if (problem.ranks.empty()) return;
  std::uint32_t highest = 0;
  for (const auto& [guid, rank] : problem.ranks) highest = std::max(highest, rank);
  std::vector<std::uint32_t> low;
  std::vector<std::uint32_t> high;
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    const auto at =
        std::ranges::lower_bound(problem.ranks, graph.guids[s], {}, &std::pair<Guid, std::uint32_t>::first);
    if (at == problem.ranks.end() || at->first != graph.guids[s]) continue;
    if (at->second == 0) low.push_back(s);
    if (at->second == highest) high.push_back(s);
  }
  if (!low.empty()) tries.push_back(distance(graph, low));
  if (!high.empty()) tries.push_back(upside_down(graph, high));
}

/// Whether more than half of all hosts are at the lowest rank. A torus with a switch that has none hangs from
/// that one like a tree, but with hosts at every rank.
bool most_hosts_below(const DesignGraph& graph, const Ranks& rank) {
  std::size_t all = 0;
  std::size_t below = 0;
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    all += graph.host_ports[s].count();
    below += rank[s] == 0 ? graph.host_ports[s].count() : 0;
  }
  return below * 2 > all;
}

/// Whether all links join neighbouring ranks, and the ranks are those given. Lonely switches get theirs.
bool fits(const Problem& problem, const DesignGraph& graph, Ranks& rank) {
  rank_lonely(graph, rank);
  return !misfit(graph, rank) && std::ranges::find(rank, kNone) == rank.end() &&
         std::ranges::all_of(rank, [](std::uint32_t r) { return r < 64; }) &&
         contradiction(problem, graph, rank) == graph.size();
}

/// Ranks that fit, of those that the fabric itself tells; the first try in `first` unless something is there.
std::optional<Ranks> ranks_of_fabric(const Problem& problem, const DesignGraph& graph, Ranks& first) {
  const Ranks from_hosts = distance(graph, with_hosts(graph, 1));
  Ranks rank = from_hosts;
  const bool good = fits(problem, graph, rank);
  if (first.empty()) first = rank;
  if (good) return rank;
  std::size_t most = 0;
  for (const auto& ports : graph.host_ports) most = std::max(most, ports.count());
  if (most > 1)
    if (rank = distance(graph, with_hosts(graph, (most + 1) / 2)); fits(problem, graph, rank)) return rank;
  std::uint32_t farthest = 0;
  for (const std::uint32_t r : from_hosts)
    if (r != kNone) farthest = std::max(farthest, r);
  std::vector<std::uint32_t> top;
  for (std::uint32_t s = 0; s < graph.size(); ++s)
    if (from_hosts[s] == farthest) top.push_back(s);
  if (farthest == 0) return std::nullopt;
  rank = upside_down(graph, top);
  if (most_hosts_below(graph, rank) && fits(problem, graph, rank)) return rank;
  return std::nullopt;
}

Result<Ranks> find_ranks(const Problem& problem, const DesignGraph& graph) {
  std::vector<Ranks> tries;
  try_given(problem, graph, tries);
  if (!problem.roots.empty()) {
    std::vector<std::uint32_t> roots;
    for (std::uint32_t s = 0; s < graph.size(); ++s)
      if (std::ranges::find(problem.roots, graph.guids[s]) != problem.roots.end()) roots.push_back(s);
    if (!roots.empty()) tries.push_back(upside_down(graph, roots));
  }
  for (Ranks& rank : tries)
    if (fits(problem, graph, rank)) return std::move(rank);
  Ranks rank = tries.empty() ? Ranks{} : std::move(tries.front());
  if (std::optional<Ranks> found = ranks_of_fabric(problem, graph, rank)) return std::move(*found);
  const DesignGraph::Edge* edge = misfit(graph, rank);
  if (const std::uint32_t s = contradiction(problem, graph, rank); !edge && s != graph.size())
    return fail(Errc::invalid, "no tree with the ranks that the configuration gives: {} would have rank {}",
                name(problem, graph, s), rank[s]);
  if (!edge) return fail(Errc::invalid, "no tree: some switches have no way to any leaf");
  return fail(Errc::invalid, "no tree: {} and {} are linked, but neither is above the other",
              name(problem, graph, edge->a), name(problem, graph, edge->b));
}

std::uint32_t root_of(std::vector<std::uint32_t>& parent, std::uint32_t s) {
  while (parent[s] != s) s = parent[s] = parent[parent[s]];
  return s;
}

/// Joins the ends of every edge whose upper end has a rank of `from` to `upto`.
void join(const DesignGraph& graph, const Ranks& rank, std::uint32_t from, std::uint32_t upto,
          std::vector<std::uint32_t>& parent) {
  for (const DesignGraph::Edge& e : graph.edges) {
    const std::uint32_t upper = std::max(rank[e.a], rank[e.b]);
    if (upper < from || upper > upto) continue;
    const auto [low, high] = std::minmax({root_of(parent, e.a), root_of(parent, e.b)});
    parent[high] = low;
  }
}

class Builder {
 public:
  Builder(const Problem& problem, const DesignGraph& graph, Ranks rank)
      : problem_(problem), graph_(graph), rank_(std::move(rank)) {}

  TreeShape build() {
    shape_.live = graph_.live;
    shape_.rank.assign(rank_.begin(), rank_.end());
    shape_.top = shape_.rank.empty() ? std::uint8_t{0} : std::ranges::max(shape_.rank);
    shape_.switch_count.assign(shape_.top + 1U, 0);
    for (std::uint32_t s = 0; s < graph_.live; ++s) {
      ++shape_.switch_count[rank_[s]];
      shape_.by_rank.push_back(s);
    }
    std::ranges::sort(shape_.by_rank, {}, [this](std::uint32_t s) { return std::pair(rank_[s], s); });
    find_parents();
    fill_slots();
    list_children();
    divide();
    number_destinations();
    return std::move(shape_);
  }

 private:
  /// parents_: by switch, by GUID, those found by symmetry included.
  void find_parents() {
    parents_.resize(graph_.size());
    for (std::uint32_t s = 0; s < graph_.size(); ++s)
      for (const DesignGraph::End& e : graph_.ends_of(s))
        if (rank_[e.to] > rank_[s] && (parents_[s].empty() || parents_[s].back() != e.to))
          parents_[s].push_back(e.to);
    for (std::uint32_t r = 0; r < shape_.top; ++r) complete(r);
  }

  /// Switches of rank `r` and r + 1 that hang together are meant to be linked each to each when nearly all
  /// are.
  void complete(std::uint32_t r) {
    std::vector<std::uint32_t> set(graph_.size());
    std::iota(set.begin(), set.end(), 0U);
    join(graph_, rank_, r + 1, r + 1, set);
    std::vector<std::vector<std::uint32_t>> lower(graph_.size());
    std::vector<std::vector<std::uint32_t>> upper(graph_.size());
    std::vector<std::size_t> links(graph_.size());
    for (std::uint32_t s = 0; s < graph_.size(); ++s) {
      const std::uint32_t root = root_of(set, s);
      if (rank_[s] == r) lower[root].push_back(s);
      if (rank_[s] == r) links[root] += parents_[s].size();
      if (rank_[s] == r + 1) upper[root].push_back(s);
    }
    for (std::uint32_t root = 0; root < graph_.size(); ++root) {
      const std::size_t all = lower[root].size() * upper[root].size();
      if (links[root] == all || links[root] * 8 < all * 7) continue;
      std::ranges::sort(upper[root], {}, [this](std::uint32_t s) { return graph_.guids[s]; });
      for (const std::uint32_t s : lower[root]) parents_[s] = upper[root];
    }
  }

  void fill_slots() {
    shape_.up.resize(graph_.live);
    for (std::uint32_t s = 0; s < graph_.live; ++s) {
      TreeShape::Up& up = shape_.up[s];
      up.slots = static_cast<std::uint32_t>(parents_[s].size());
      up.first_to = static_cast<std::uint32_t>(shape_.to.size());
      up.first_port = static_cast<std::uint32_t>(shape_.ports.size());
      std::uint32_t links = 0;
      std::uint32_t last = kNone;
      for (const DesignGraph::End& e : graph_.ends_of(s)) {
        if (rank_[e.to] < rank_[s]) continue;
        links = e.to == last ? links + 1 : 1;
        last = e.to;
        up.links = std::max(up.links, links);
      }
      if (up.slots == 0) continue;
      up.spread = std::clamp(254 / up.slots, 1U, up.links);
      shape_.to.insert(shape_.to.end(), parents_[s].begin(), parents_[s].end());
      shape_.ports.resize(shape_.ports.size() + up.slots * up.links, TreeShape::kHole);
      shape_.far.resize(shape_.ports.size(), TreeShape::kHole);
      fill_ports(s, up);
    }
  }

  void fill_ports(std::uint32_t s, const TreeShape::Up& up) {
    std::uint32_t slot = 0;
    std::uint32_t link = 0;
    std::size_t lives = 0;
    for (const DesignGraph::End& e : graph_.ends_of(s)) {
      if (rank_[e.to] < rank_[s]) continue;
      while (shape_.to[up.first_to + slot] != e.to) {
        ++slot;
        link = 0;
      }
      const std::uint32_t at = up.first_port + slot * up.links + link++;
      if (!e.live) continue;
      ++lives;
      shape_.ports[at] = e.port;
      shape_.far[at] = e.far_port;
    }
    shape_.missing += std::max<std::size_t>(lives, up.slots * up.links) - lives;
  }

  void list_children() {
    shape_.down_begin.assign(graph_.live + 1, 0);
    const auto each = [this](auto&& use) {
      for (std::uint32_t s = 0; s < graph_.live; ++s) {
        const TreeShape::Up& up = shape_.up[s];
        for (std::uint32_t i = 0; i < up.slots; ++i) {
          const auto first = shape_.ports.begin() + up.first_port + i * up.links;
          const bool lives =
              std::any_of(first, first + up.links, [](std::uint8_t p) { return p != TreeShape::kHole; });
          if (lives) use(shape_.to[up.first_to + i], TreeShape::Down{s, i});
        }
      }
    };
    each([this](std::uint32_t parent, TreeShape::Down) { ++shape_.down_begin[parent + 1]; });
    for (std::uint32_t s = 0; s < graph_.live; ++s) shape_.down_begin[s + 1] += shape_.down_begin[s];
    shape_.down.resize(shape_.down_begin[graph_.live]);
    std::vector<std::uint32_t> next(shape_.down_begin.begin(), shape_.down_begin.end() - 1);
    each([&](std::uint32_t parent, TreeShape::Down d) { shape_.down[next[parent]++] = d; });
  }

  /// Over the design, so that a dead switch changes no divider.
  void divide() {
    constexpr std::uint64_t kEnough = 1U << 20;
    std::vector<std::uint64_t> divider(graph_.size(), 1);
    std::vector<std::uint32_t> order(graph_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, {}, [this](std::uint32_t s) { return rank_[s]; });
    for (const std::uint32_t s : order)
      for (const std::uint32_t parent : parents_[s])
        divider[parent] = std::max(divider[parent], std::min(kEnough, divider[s] * parents_[s].size()));
    for (std::uint32_t s = 0; s < graph_.live; ++s) shape_.up[s].divider = divider[s];
  }

  /// Those that share parents stand together, pods of pods likewise, GUID order within. What joins by rank is
  /// a set; a set's place is that of its first leaf.
  std::vector<std::uint32_t> order_leaves() {
    std::vector<std::uint32_t> by_guid(graph_.size());
    std::iota(by_guid.begin(), by_guid.end(), 0U);
    std::ranges::sort(by_guid, {}, [this](std::uint32_t s) { return graph_.guids[s]; });
    std::vector<std::uint32_t> leaves;
    for (const std::uint32_t s : by_guid)
      if (rank_[s] == 0) leaves.push_back(s);
    std::vector<std::uint32_t> set(graph_.size());
    std::iota(set.begin(), set.end(), 0U);
    for (std::uint32_t r = 1; r <= std::max<std::uint32_t>(shape_.top, 1); ++r) {
      join(graph_, rank_, r, r, set);
      std::vector<std::uint32_t> first(graph_.size(), kNone);
      std::vector<std::array<std::uint32_t, 3>> keyed;
      for (std::uint32_t i = 0; i < leaves.size(); ++i) {
        std::uint32_t& place = first[root_of(set, leaves[i])];
        place = std::min(place, i);
        keyed.push_back({place, i, leaves[i]});
      }
      std::ranges::sort(keyed);
      for (std::uint32_t i = 0; i < leaves.size(); ++i) leaves[i] = keyed[i][2];
      if (r == 1) {
        pod_.resize(graph_.size());
        for (std::uint32_t s = 0; s < graph_.size(); ++s) pod_[s] = root_of(set, s);
      }
    }
    part_.resize(graph_.size());
    for (std::uint32_t s = 0; s < graph_.size(); ++s) part_[s] = root_of(set, s);
    return leaves;
  }

  void number_destinations() {
    std::vector<std::uint32_t> order = order_leaves();
    const std::size_t leaf_count = order.size();
    std::vector<std::uint32_t> others;
    for (std::uint32_t s = 0; s < graph_.size(); ++s)
      if (rank_[s] != 0) others.push_back(s);
    std::ranges::sort(others, {}, [this](std::uint32_t s) { return std::pair(rank_[s], graph_.guids[s]); });
    order.insert(order.end(), others.begin(), others.end());

    std::vector<std::vector<std::uint32_t>> of_switch(graph_.live);
    std::vector<std::uint8_t> kinds;
    for (std::uint32_t i = 0; i < problem_.destinations.size(); ++i) {
      const Destination& d = problem_.destinations[i];
      if (d.is_switch()) continue;
      of_switch[raw(d.at)].push_back(i);
      kinds.push_back(d.kind);
    }
    std::ranges::sort(kinds);
    kinds.erase(std::ranges::unique(kinds).begin(), kinds.end());
    if (kinds.empty()) kinds.push_back(0);

    shape_.number.assign(problem_.destinations.size(), 0);
    for (const std::uint8_t kind : kinds)
      number_hosts(kind, kind == kinds.front(), order, leaf_count, of_switch);
    std::vector<std::uint32_t> place(graph_.live);
    for (std::uint32_t i = 0; i < order.size(); ++i)
      if (order[i] < graph_.live) place[order[i]] = i;
    for (std::uint32_t i = 0; i < problem_.destinations.size(); ++i)
      if (problem_.destinations[i].is_switch()) shape_.number[i] = place[raw(problem_.destinations[i].at)];
  }

  /// Slots of a kind at each switch; those of dark ports are counted with the first kind.
  void number_hosts(std::uint8_t kind, bool first_kind, const std::vector<std::uint32_t>& order,
                    std::size_t leaf_count, const std::vector<std::vector<std::uint32_t>>& of_switch) {
    std::vector<std::bitset<256>> slots(graph_.size());
    for (std::uint32_t s = 0; s < graph_.size(); ++s) {
      if (first_kind) slots[s] = graph_.host_ports[s];
      if (s >= graph_.live) continue;
      for (const std::uint32_t i : of_switch[s]) {
        const Destination& d = problem_.destinations[i];
        slots[s].set(raw(d.port), d.kind == kind);
      }
    }
    std::vector<std::uint32_t> widest(graph_.size());
    for (std::size_t i = 0; i < leaf_count; ++i)
      widest[pod_[order[i]]] =
          std::max(widest[pod_[order[i]]], static_cast<std::uint32_t>(slots[order[i]].count()));
    std::uint32_t base = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::uint32_t s = order[i];
      if (i > 0 && i < leaf_count && part_[s] != part_[order[i - 1]]) base = 0;
      if (s < graph_.live) number_at(kind, base, slots[s], of_switch[s]);
      base += i < leaf_count ? widest[pod_[s]] : static_cast<std::uint32_t>(slots[s].count());
    }
  }

  void number_at(std::uint8_t kind, std::uint32_t base, const std::bitset<256>& slots,
                 const std::vector<std::uint32_t>& destinations) {
    std::array<std::uint8_t, 256> position{};
    std::uint8_t next = 0;
    for (std::size_t p = 0; p < 256; ++p)
      if (slots[p]) position[p] = next++;
    for (const std::uint32_t i : destinations)
      if (problem_.destinations[i].kind == kind)
        shape_.number[i] = base + position[raw(problem_.destinations[i].port)];
  }

  const Problem& problem_;
  const DesignGraph& graph_;
  Ranks rank_;
  TreeShape shape_;
  std::vector<std::vector<std::uint32_t>> parents_;
  std::vector<std::uint32_t> pod_;   // by switch: a switch that stands for its pod of leaves
  std::vector<std::uint32_t> part_;  // likewise for all that hangs together
};

}  // namespace

Result<TreeShape> tree_shape(const Problem& problem, const DesignGraph& graph) {
  Result<Ranks> rank = find_ranks(problem, graph);
  if (!rank) return fail(std::move(rank.error()));
  return Builder(problem, graph, std::move(*rank)).build();
}

std::string describe(const TreeShape& shape) {
  std::string text =
      fmt::format("a tree of {} ranks, {} switches", shape.top + 1, fmt::join(shape.switch_count, "/"));
  if (shape.missing != 0) text += fmt::format(", {} of the design missing", counted(shape.missing, "link"));
  return text;
}

}  // namespace weft::routing
