#include "routing/dragonfly_shape.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include <fmt/format.h>

#include "base/words.h"

namespace weft::routing {
namespace {

/// Common neighbours of the two ends, by edge.
std::vector<std::uint32_t> common_neighbours(const DesignGraph& graph) {
  const std::size_t words = (graph.size() + 63) / 64;
  std::vector<std::uint64_t> near(graph.size() * words);
  for (const DesignGraph::Edge& e : graph.edges) {
    near[e.a * words + e.b / 64] |= std::uint64_t{1} << e.b % 64;
    near[e.b * words + e.a / 64] |= std::uint64_t{1} << e.a % 64;
  }
  std::vector<std::uint32_t> common;
  common.reserve(graph.edges.size());
  for (const DesignGraph::Edge& e : graph.edges) {
    int count = 0;
    for (std::size_t w = 0; w < words; ++w)
      count += std::popcount(near[e.a * words + w] & near[e.b * words + w]);
    common.push_back(static_cast<std::uint32_t>(count));
  }
  return common;
}

/// By switch: the lowest of its group, which links with many common neighbours hold together.
std::vector<std::uint32_t> find_groups(const DesignGraph& graph) {
  const std::vector<std::uint32_t> common = common_neighbours(graph);
  std::vector<std::uint32_t> most(graph.size());
  for (std::size_t i = 0; i < common.size(); ++i)
    for (const std::uint32_t s : {graph.edges[i].a, graph.edges[i].b}) most[s] = std::max(most[s], common[i]);
  std::vector<std::uint32_t> of(graph.size());
  std::iota(of.begin(), of.end(), 0U);
  const auto root = [&of](std::uint32_t s) {
    while (of[s] != s) s = of[s] = of[of[s]];
    return s;
  };
  for (std::size_t i = 0; i < common.size(); ++i) {
    const DesignGraph::Edge& e = graph.edges[i];
    if (common[i] == 0 || common[i] * 2 <= std::min(most[e.a], most[e.b])) continue;
    const auto [low, high] = std::minmax({root(e.a), root(e.b)});
    of[high] = low;
  }
  for (std::uint32_t s = 0; s < graph.size(); ++s) of[s] = root(s);
  return of;
}

}  // namespace

Result<DragonflyShape> dragonfly_shape(const Problem& problem, const DesignGraph& graph) {
  DragonflyShape shape;
  shape.live = graph.live;
  shape.missing = graph.dead_links();
  std::vector<std::uint32_t> of = given_groups(problem, graph);
  if (of.empty()) of = find_groups(graph);
  std::vector<std::uint32_t> by_guid(graph.size());
  std::iota(by_guid.begin(), by_guid.end(), 0U);
  std::ranges::sort(by_guid, {}, [&graph](std::uint32_t s) { return graph.guids[s]; });
  constexpr std::uint32_t kNone = ~0U;
  std::vector<std::uint32_t> number(graph.size(), kNone);
  shape.group.resize(graph.size());
  for (const std::uint32_t s : by_guid) {
    if (number[of[s]] == kNone) {
      number[of[s]] = shape.groups();
      shape.routers.emplace_back();
    }
    shape.group[s] = number[of[s]];
    shape.routers[shape.group[s]].push_back(s);
  }
  const std::uint32_t groups = shape.groups();
  std::size_t widest = 0;
  std::size_t narrowest = graph.size();
  for (const auto& routers : shape.routers) {
    widest = std::max(widest, routers.size());
    narrowest = std::min(narrowest, routers.size());
  }
  if (groups < 2 || widest < 3)
    return fail(Errc::invalid, "no dragonfly: {} groups, the widest of {} switches", groups, widest);

  if (narrowest * 2 < widest)
    return fail(Errc::invalid, "no dragonfly: groups of {} to {} switches", narrowest, widest);

  std::vector<std::size_t> inside(groups);
  std::vector<std::size_t> leaving(groups);
  shape.exits.resize(std::size_t{groups} * groups);
  std::vector<std::uint32_t> last(graph.size(), kNone);  // parallel links count once
  for (const std::uint32_t s : by_guid) {
    for (const DesignGraph::End& e : graph.ends_of(s)) {
      const std::uint32_t from = shape.group[s];
      const std::uint32_t to = shape.group[e.to];
      if (from == to) {
        inside[from] += last[s] != e.to ? 1 : 0;
        last[s] = e.to;
        continue;
      }
      ++leaving[from];
      shape.exits[from * groups + to].push_back({s, e.port, e.live && s < graph.live && e.to < graph.live});
    }
  }
  for (std::uint32_t g = 0; g < groups; ++g) {
    const std::size_t a = shape.routers[g].size();
    const std::uint32_t first = shape.routers[g].front();
    const std::string at = first < graph.live ? describe(problem.fabric->node(static_cast<SwitchId>(first)))
                                              : to_string(graph.guids[first]);
    if (inside[g] * 4 < a * (a - 1) * 3)
      return fail(Errc::invalid, "no dragonfly: the group of {} has {} of {} possible links inside", at,
                  inside[g] / 2, a * (a - 1) / 2);
    if (leaving[g] == 0) return fail(Errc::invalid, "no dragonfly: no link leaves the group of {}", at);
  }
  return shape;
}

std::string describe(const DragonflyShape& shape) {
  std::size_t least = shape.routers.front().size();
  std::size_t most = least;
  std::size_t global = 0;
  for (const auto& routers : shape.routers) {
    least = std::min(least, routers.size());
    most = std::max(most, routers.size());
  }
  for (const auto& exits : shape.exits) global += exits.size();
  const std::string width = least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most);
  std::string text = fmt::format("a dragonfly of {} groups, {} routers in each, {} global links",
                                 shape.groups(), width, global / 2);
  if (shape.missing != 0) text += fmt::format(", {} of the design missing", counted(shape.missing, "link"));
  return text;
}

}  // namespace weft::routing
