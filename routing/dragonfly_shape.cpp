#include "routing/dragonfly_shape.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "base/words.h"
#include "routing/router_groups.h"

namespace weft::routing {

Result<DragonflyShape> dragonfly_shape(const Problem& problem, const DesignGraph& graph) {
  DragonflyShape shape;
  shape.live = graph.live;
  shape.missing = graph.dead_links();
  std::vector<std::uint32_t> of = given_groups(problem, graph);
  if (of.empty()) of = find_router_groups(graph);
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
