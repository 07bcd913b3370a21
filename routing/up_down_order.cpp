#include "routing/up_down_order.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>

#include <fmt/ranges.h>

#include "routing/spread.h"

namespace weft::routing {
namespace {

constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();

/// Links to the nearest of `from`, by switch; kFar where there is none.
std::vector<std::uint32_t> distance_from(const SwitchGraph& graph, std::vector<std::uint32_t> from) {
  std::vector<std::uint32_t> distance(graph.size(), kFar);
  for (const std::uint32_t s : from) distance[s] = 0;
  for (std::size_t next = 0; next < from.size(); ++next) {
    for (const Group& g : graph.groups(from[next])) {
      if (distance[g.to] != kFar) continue;
      distance[g.to] = distance[from[next]] + 1;
      from.push_back(g.to);
    }
  }
  return distance;
}

/// The switches the configuration names.
std::vector<std::uint32_t> given_roots(const Problem& problem, std::vector<std::string>& notes) {
  const fabric::Fabric& fabric = *problem.fabric;
  std::vector<std::uint32_t> roots;
  std::vector<std::string> unknown;
  for (const Guid guid : problem.roots) {
    const std::optional<NodeId> node = fabric.find(guid);
    const std::optional<SwitchId> id = node ? fabric.switch_of(*node) : std::nullopt;
    if (id)
      roots.push_back(raw(*id));
    else
      unknown.push_back(to_string(guid));
  }
  std::ranges::sort(roots);
  roots.erase(std::ranges::unique(roots).begin(), roots.end());
  if (!unknown.empty())
    notes.push_back(fmt::format("{} of {} roots in the configuration are no switches of this fabric: {}",
                                unknown.size(), problem.roots.size(), fmt::join(unknown, ", ")));
  return roots;
}

/// By switch: 0 for the highest rank, and so on downwards. Parts of the fabric without a given root are
/// ranked as if none were given.
std::vector<std::uint32_t> ranks(const Problem& problem, const SwitchGraph& graph,
                                 std::vector<std::string>& notes) {
  const std::vector<std::uint32_t> roots = given_roots(problem, notes);
  std::vector<std::uint32_t> below = distance_from(graph, roots);
  std::vector<std::uint32_t> leaves;
  for (std::uint32_t s = 0; s < graph.size(); ++s)
    if (graph.hosts(s) != 0) leaves.push_back(s);
  const std::vector<std::uint32_t> above = distance_from(graph, leaves);
  std::vector<std::uint32_t> top(graph.part_count());
  for (std::uint32_t s = 0; s < graph.size(); ++s)
    if (above[s] != kFar) top[graph.parts()[s]] = std::max(top[graph.parts()[s]], above[s]);
  for (std::uint32_t s = 0; s < graph.size(); ++s)
    if (below[s] == kFar) below[s] = above[s] == kFar ? 0 : top[graph.parts()[s]] - above[s];
  return below;
}

/// Of each part, the candidate whose distances to all others add up to the least.
std::vector<std::uint32_t> most_central(const SwitchGraph& graph, const std::vector<bool>& candidate) {
  std::vector<std::uint32_t> start(graph.part_count(), kFar);
  std::vector<std::uint64_t> least(graph.part_count(), std::numeric_limits<std::uint64_t>::max());
  Batch batch(graph);
  for (std::uint32_t first = 0; first < graph.size(); first += kLanes) {
    const auto begin = candidate.begin() + first;
    const auto end = begin + std::min(kLanes, graph.size() - first);
    if (std::find(begin, end, true) == end) continue;
    batch.reset(first);
    find_shortest(graph, batch);
    std::array<std::uint64_t, kLanes> sum{};
    for (const Lengths& length : batch.length)
      for (std::uint32_t k = 0; k < kLanes; ++k) sum[k] += length[k] == kNoPath ? 0U : length[k];
    for (std::uint32_t k = 0; k < batch.count; ++k) {
      const std::uint32_t part = graph.parts()[first + k];
      if (!candidate[first + k] || sum[k] >= least[part]) continue;
      least[part] = sum[k];
      start[part] = first + k;
    }
  }
  return start;
}

/// The order from the given starts, one a part, in order of parts.
UpDownOrder grow(const Problem& problem, const SwitchGraph& graph, const std::vector<std::uint32_t>& rank,
                 const std::vector<std::uint32_t>& starts) {
  UpDownOrder order;
  const std::vector<std::uint32_t> distance = distance_from(graph, starts);
  using Next = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // rank, distance, switch
  std::priority_queue<Next, std::vector<Next>, std::greater<>> border;
  std::vector<bool> known(graph.size());
  order.position.resize(graph.size());
  for (const std::uint32_t start : starts) {
    order.notes.push_back(fmt::format("the up*/down* order starts at {}",
                                      describe(problem.fabric->node(static_cast<SwitchId>(start)))));
    known[start] = true;
    border.emplace(rank[start], 0, start);
    while (!border.empty()) {
      const std::uint32_t s = std::get<2>(border.top());
      border.pop();
      order.position[s] = static_cast<std::uint32_t>(order.switches.size());
      order.switches.push_back(s);
      for (const Group& g : graph.groups(s)) {
        if (known[g.to]) continue;
        known[g.to] = true;
        border.emplace(rank[g.to], distance[g.to], g.to);
      }
    }
  }
  return order;
}

/// Of each part, the candidate farthest from all of `taken`; the first of equals.
std::vector<std::uint32_t> farthest(const SwitchGraph& graph, const std::vector<bool>& candidate,
                                    const std::vector<std::uint32_t>& taken) {
  const std::vector<std::uint32_t> distance = distance_from(graph, taken);
  std::vector<std::uint32_t> start(graph.part_count(), kFar);
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    std::uint32_t& best = start[graph.parts()[s]];
    if (candidate[s] && (best == kFar || distance[s] > distance[best])) best = s;
  }
  return start;
}

}  // namespace

UpDownOrder up_down_order(const Problem& problem, const SwitchGraph& graph) {
  return up_down_orders(problem, graph, 1).front();
}

std::vector<UpDownOrder> up_down_orders(const Problem& problem, const SwitchGraph& graph, int count) {
  std::vector<std::string> notes;
  const std::vector<std::uint32_t> rank = ranks(problem, graph, notes);
  std::vector<std::uint32_t> best(graph.part_count(), kFar);
  for (std::uint32_t s = 0; s < graph.size(); ++s)
    best[graph.parts()[s]] = std::min(best[graph.parts()[s]], rank[s]);
  std::vector<bool> candidate(graph.size());
  for (std::uint32_t s = 0; s < graph.size(); ++s) candidate[s] = rank[s] == best[graph.parts()[s]];
  std::vector<std::uint32_t> starts = most_central(graph, candidate);
  std::vector<std::uint32_t> taken;
  std::vector<UpDownOrder> orders;
  for (int i = 0; i < count; ++i) {
    if (i > 0) starts = farthest(graph, candidate, taken);
    taken.insert(taken.end(), starts.begin(), starts.end());
    orders.push_back(grow(problem, graph, rank, starts));
    if (i == 0) orders.front().notes.insert(orders.front().notes.begin(), notes.begin(), notes.end());
  }
  return orders;
}

}  // namespace weft::routing
