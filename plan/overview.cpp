#include "plan/overview.h"

#include <algorithm>
#include <numeric>

#include "routing/dragonfly_plus_shape.h"
#include "routing/dragonfly_shape.h"
#include "routing/tree_shape.h"

namespace weft::plan {
namespace {

using routing::DesignGraph;
using routing::Kind;

/// Parts of a tree without its top switches, numbered by their lowest switch.
std::vector<std::uint32_t> parts_below_top(const routing::TreeShape& shape, const DesignGraph& graph) {
  std::vector<std::uint32_t> root(graph.live);
  std::iota(root.begin(), root.end(), 0U);
  const auto find = [&root](std::uint32_t s) {
    while (root[s] != s) s = root[s] = root[root[s]];
    return s;
  };
  const auto is_below = [&](std::uint32_t s) { return s < graph.live && shape.rank[s] < shape.top; };
  for (const DesignGraph::Edge& edge : graph.edges) {
    if (!edge.live || !is_below(edge.a) || !is_below(edge.b)) continue;
    const std::uint32_t a = find(edge.a);
    const std::uint32_t b = find(edge.b);
    root[std::max(a, b)] = std::min(a, b);
  }
  std::vector<std::uint32_t> part(graph.live, Places::kNone);
  std::uint32_t count = 0;
  for (std::uint32_t s = 0; s < graph.live; ++s) {
    if (!is_below(s)) continue;
    part[s] = find(s) == s ? count++ : part[find(s)];
  }
  return part;
}

Places places_in(const routing::Problem& problem) {
  const DesignGraph graph(problem);
  Places places;
  places.rank.assign(graph.live, Places::kNone);
  places.group.assign(graph.live, Places::kNone);
  if (const auto tree = routing::tree_shape(problem, graph)) {
    places.kind = Kind::tree;
    places.evidence = routing::describe(*tree);
    for (std::uint32_t s = 0; s < graph.live; ++s) places.rank[s] = tree->rank[s];
    places.group = parts_below_top(*tree, graph);
  } else if (const auto dragonfly = routing::dragonfly_shape(problem, graph)) {
    places.kind = Kind::dragonfly;
    places.evidence = routing::describe(*dragonfly);
    for (std::uint32_t s = 0; s < graph.live; ++s) places.group[s] = dragonfly->group[s];
  } else if (const auto plus = routing::dragonfly_plus_shape(problem, graph)) {
    places.kind = Kind::dragonfly_plus;
    places.evidence = routing::describe(*plus);
    for (std::uint32_t s = 0; s < graph.live; ++s) {
      places.group[s] = plus->place[s].group;
      places.rank[s] = plus->place[s].spine ? 1 : 0;
    }
  } else if (problem.design != nullptr) {
    return routing::without_design(problem, places_in);
  } else {
    places.evidence = "no shape we know";
  }
  return places;
}

/// Counts flows to one destination after the other along the trees that the tables make.
class FlowCounter {
 public:
  FlowCounter(const View& view, const routing::Problem& problem)
      : fabric_(*problem.fabric), routes_(view.plan->routes()), problem_(problem) {
    const auto switches = static_cast<std::uint32_t>(fabric_.switch_count());
    std::size_t ports = 0;
    for (std::uint32_t s = 0; s < switches; ++s)
      width_ = std::max(width_, static_cast<std::uint32_t>(fabric_.ports(static_cast<SwitchId>(s)).size()));
    for (const fabric::Node& node : fabric_.nodes())
      ports = std::max<std::size_t>(ports, node.first_port + std::size_t{node.port_count} + 1);
    flows_.assign(ports, 0);
    next_.assign(std::size_t{switches} * width_, Places::kNone);
    for (std::uint32_t s = 0; s < switches; ++s) {
      const auto own = fabric_.ports(static_cast<SwitchId>(s));
      for (std::size_t p = 1; p < own.size(); ++p)
        if (const auto to = own[p].peer ? fabric_.switch_of(own[p].peer->node) : std::nullopt)
          next_[s * width_ + p] = raw(*to);
    }
    senders_.assign(switches, 0);
    for (const routing::Destination& d : problem.destinations)
      if (d.is_peer() && !d.away) ++senders_[raw(d.at)];
    to_.resize(switches);
    port_.resize(switches);
    waits_.resize(switches);
    count_.resize(switches);
  }

  std::vector<std::uint32_t> all() && {
    std::size_t from = 0;
    const auto& all = problem_.destinations;
    while (from < all.size()) {  // those of one block of 64 LIDs, which stand together in every row
      std::size_t until = from;
      const std::size_t block = raw(all[from].base) / 64;
      while (until < all.size() && raw(all[until].base) / 64 == block) ++until;
      for (; from < until; ++from)
        if (all[from].is_peer() && !all[from].away) count(all[from]);
    }
    count_host_ports();
    return std::move(flows_);
  }

 private:
  void count(const routing::Destination& d) {
    const auto switches = static_cast<std::uint32_t>(to_.size());
    const std::uint32_t at = raw(d.at);
    std::ranges::fill(waits_, 0U);
    for (std::uint32_t s = 0; s < switches; ++s) {
      const std::uint32_t port = s == at ? 0 : raw(routes_.out(static_cast<SwitchId>(s), d.base));
      port_[s] = port;
      to_[s] = port == 0 || port >= width_ ? Places::kNone : next_[s * width_ + port];
      if (to_[s] != Places::kNone) ++waits_[to_[s]];
      count_[s] = senders_[s];
    }
    --count_[at];  // nobody sends to itself
    ready_.clear();
    for (std::uint32_t s = 0; s < switches; ++s)
      if (waits_[s] == 0) ready_.push_back(s);
    for (std::size_t i = 0; i < ready_.size(); ++i) {  // what a loop holds is never ready
      const std::uint32_t s = ready_[i];
      if (to_[s] == Places::kNone) continue;
      flows_[fabric_.node(static_cast<SwitchId>(s)).first_port + port_[s]] += count_[s];
      count_[to_[s]] += count_[s];
      if (--waits_[to_[s]] == 0) ready_.push_back(to_[s]);
    }
    if (waits_[at] == 0 && !d.is_switch()) flows_[fabric_.node(d.at).first_port + raw(d.port)] += count_[at];
  }

  /// A host sends to every other one.
  void count_host_ports() {
    const auto peers = static_cast<std::uint32_t>(std::accumulate(senders_.begin(), senders_.end(), 0U));
    for (const routing::Destination& d : problem_.destinations) {
      if (d.is_switch() || d.away) continue;
      const auto& peer = fabric_.ports(d.at)[raw(d.port)].peer;
      if (peer) flows_[fabric_.node(peer->node).first_port + raw(peer->port)] = peers - 1;
    }
  }

  const fabric::Fabric& fabric_;
  const routing::Routes& routes_;
  const routing::Problem& problem_;
  std::uint32_t width_ = 1;
  std::vector<std::uint32_t> flows_;                              // by port of the fabric
  std::vector<std::uint32_t> next_;                               // [switch * width + port]
  std::vector<std::uint32_t> senders_;                            // by switch
  std::vector<std::uint32_t> to_, port_, waits_, count_, ready_;  // by switch, for one destination
};

}  // namespace

std::string_view name(Kind kind) {
  switch (kind) {
    case Kind::tree:
      return "tree";
    case Kind::dragonfly:
      return "dragonfly";
    case Kind::dragonfly_plus:
      return "dragonfly+";
    case Kind::arbitrary:
      return "arbitrary";
  }
  return "?";
}

Places places_of(const View& view) { return places_in(problem_of(view)); }

std::vector<std::uint32_t> flows_of(const View& view) {
  const routing::Problem problem = problem_of(view);
  return FlowCounter(view, problem).all();
}

}  // namespace weft::plan
