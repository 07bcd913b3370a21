#include "routing/dragonfly_plus_shape.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "base/words.h"

namespace weft::routing {
namespace {

constexpr std::uint32_t kNoGroup = ~0U;

std::string switch_at(const Problem& problem, const DesignGraph& graph, std::uint32_t s) {
  return s < graph.live ? describe(problem.fabric->node(static_cast<SwitchId>(s)))
                        : to_string(graph.guids[s]);
}

class Shaper {
 public:
  Shaper(const Problem& problem, const DesignGraph& graph, std::size_t least_hosts)
      : problem_(problem), graph_(graph), of_(graph.size()) {
    shape_.live = graph.live;
    shape_.missing = graph.dead_links();
    for (std::uint32_t s = 0; s < graph.size(); ++s)
      shape_.place.push_back({kNoGroup, 0, graph.host_ports[s].count() < least_hosts});
  }

  Result<DragonflyPlusShape> shape() {
    for (const DesignGraph::Edge& e : graph_.edges)
      if (!is_spine(e.a) && !is_spine(e.b))
        return fail(Errc::invalid, "no Dragonfly+: {} and {} both have hosts and are linked", name(e.a),
                    name(e.b));
    number_groups();
    for (const DesignGraph::Edge& e : graph_.edges)
      if (is_spine(e.a) != is_spine(e.b) && shape_.place[e.a].group != shape_.place[e.b].group)
        return fail(Errc::invalid, "no Dragonfly+: {} and {} are linked, a leaf and a spine of two groups",
                    name(e.a), name(e.b));
    if (shape_.groups() < 2) return fail(Errc::invalid, "no Dragonfly+: all switches are of one group");
    list_exits();
    if (std::string fault = find_fault(); !fault.empty())
      return fail(Errc::invalid, "no Dragonfly+: {}", fault);
    return std::move(shape_);
  }

 private:
  bool is_spine(std::uint32_t s) const { return shape_.place[s].spine; }
  std::string name(std::uint32_t s) const { return switch_at(problem_, graph_, s); }

  std::uint32_t root(std::uint32_t s) {
    while (of_[s] != s) s = of_[s] = of_[of_[s]];
    return s;
  }

  /// What links between leaves and spines hold together.
  void number_groups() {
    std::vector<std::uint32_t> given = given_groups(problem_, graph_);
    std::iota(of_.begin(), of_.end(), 0U);
    if (!given.empty()) of_ = std::move(given);
    for (const DesignGraph::Edge& e : graph_.edges) {
      if (!problem_.groups.empty() || is_spine(e.a) == is_spine(e.b)) continue;
      const auto [low, high] = std::minmax({root(e.a), root(e.b)});
      of_[high] = low;
    }
    std::vector<std::uint32_t> by_guid(graph_.size());
    std::iota(by_guid.begin(), by_guid.end(), 0U);
    std::ranges::sort(by_guid, {}, [this](std::uint32_t s) { return graph_.guids[s]; });
    std::vector<std::uint32_t> number(graph_.size(), kNoGroup);
    for (const std::uint32_t s : by_guid) {
      std::uint32_t& g = number[root(s)];
      if (g == kNoGroup) {
        g = shape_.groups();
        shape_.leaves.emplace_back();
        shape_.spines.emplace_back();
      }
      std::vector<std::uint32_t>& side = (is_spine(s) ? shape_.spines : shape_.leaves)[g];
      shape_.place[s].group = g;
      shape_.place[s].index = static_cast<std::uint32_t>(side.size());
      side.push_back(s);
    }
  }

  void list_exits() {
    const std::uint32_t groups = shape_.groups();
    shape_.exits.resize(std::size_t{groups} * groups);
    for (std::uint32_t g = 0; g < groups; ++g) {
      for (const std::uint32_t s : shape_.spines[g]) {
        for (const DesignGraph::End& e : graph_.ends_of(s)) {
          if (!is_spine(e.to)) continue;
          const DragonflyPlusShape::Place& far = shape_.place[e.to];
          shape_.exits[g * groups + far.group].push_back(
              {shape_.place[s].index, e.port, far.index, e.live && s < graph_.live && e.to < graph_.live});
        }
      }
    }
  }

  std::string find_fault() const {
    const std::uint32_t groups = shape_.groups();
    std::size_t linked = 0;
    for (std::uint32_t g = 0; g < groups; ++g) {
      const std::size_t leaves = shape_.leaves[g].size();
      const std::size_t spines = shape_.spines[g].size();
      const std::uint32_t first = leaves != 0 ? shape_.leaves[g].front() : shape_.spines[g].front();
      if (leaves == 0 || spines == 0)
        return fmt::format("{} has no {} beside it", name(first), leaves == 0 ? "leaf" : "spine");
      if (!shape_.between(g, g).empty())
        return fmt::format("the group of {} has links among its spines", name(first));
      std::size_t inside = 0;
      for (const std::uint32_t s : shape_.leaves[g]) {
        std::uint32_t last = kNoGroup;  // parallel links count once
        for (const DesignGraph::End& e : graph_.ends_of(s))
          inside += std::exchange(last, e.to) != e.to ? 1 : 0;
      }
      if (inside * 4 < leaves * spines * 3)
        return fmt::format("the group of {} has {} of {} possible links inside", name(first), inside,
                           leaves * spines);
      std::size_t neighbours = 0;
      for (std::uint32_t to = 0; to < groups; ++to) neighbours += shape_.between(g, to).empty() ? 0 : 1;
      if (neighbours == 0) return fmt::format("no link leaves the group of {}", name(first));
      linked += neighbours;
    }
    const std::size_t pairs = std::size_t{groups} * (groups - 1);
    if (linked * 2 < pairs) return fmt::format("{} of {} pairs of groups are linked", linked / 2, pairs / 2);
    return {};
  }

  const Problem& problem_;
  const DesignGraph& graph_;
  std::vector<std::uint32_t> of_;
  DragonflyPlusShape shape_;
};

std::string width(const std::vector<std::vector<std::uint32_t>>& groups) {
  const auto [least, most] = std::ranges::minmax(groups, {}, &std::vector<std::uint32_t>::size);
  return least.size() == most.size() ? fmt::format("{}", most.size())
                                     : fmt::format("{} to {}", least.size(), most.size());
}

}  // namespace

Result<DragonflyPlusShape> dragonfly_plus_shape(const Problem& problem, const DesignGraph& graph) {
  Result<DragonflyPlusShape> shape = Shaper(problem, graph, 1).shape();
  if (shape) return shape;
  std::size_t most = 0;
  for (const auto& ports : graph.host_ports) most = std::max(most, ports.count());
  if (most < 2) return shape;
  Result<DragonflyPlusShape> by_half = Shaper(problem, graph, (most + 1) / 2).shape();
  return by_half ? std::move(by_half) : std::move(shape);
}

std::string describe(const DragonflyPlusShape& shape) {
  std::size_t global = 0;
  for (const auto& exits : shape.exits) global += exits.size();
  std::string text =
      fmt::format("a Dragonfly+ of {} groups, {} leaves and {} spines in each, {} global links",
                  shape.groups(), width(shape.leaves), width(shape.spines), global / 2);
  if (shape.missing != 0) text += fmt::format(", {} of the design missing", counted(shape.missing, "link"));
  return text;
}

}  // namespace weft::routing
