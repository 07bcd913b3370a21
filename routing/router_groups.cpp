#include "routing/router_groups.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

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

/// A link that may be inside a group, the likeliest first.
struct Candidate {
  std::uint32_t common = 0;
  std::uint32_t best = 0;  ///< The most that a link of one of its ends has.
  std::uint32_t edge = 0;
};

std::vector<Candidate> candidates(const DesignGraph& graph) {
  const std::vector<std::uint32_t> common = common_neighbours(graph);
  std::vector<std::uint32_t> most(graph.size());
  for (std::size_t i = 0; i < common.size(); ++i)
    for (const std::uint32_t s : {graph.edges[i].a, graph.edges[i].b}) most[s] = std::max(most[s], common[i]);
  std::vector<Candidate> found;
  for (std::uint32_t i = 0; i < common.size(); ++i) {
    const auto [low, high] = std::minmax({most[graph.edges[i].a], most[graph.edges[i].b]});
    if (common[i] > 0 && common[i] * 4 > low) found.push_back({common[i], high, i});
  }
  std::ranges::sort(found, [](const Candidate& a, const Candidate& b) {
    return std::tuple(b.common, b.best, a.edge) < std::tuple(a.common, a.best, b.edge);
  });
  return found;
}

/// Switches that have been joined.
class Clusters {
 public:
  explicit Clusters(const DesignGraph& graph) : graph_(graph), of_(graph.size()), members_(graph.size()) {
    std::iota(of_.begin(), of_.end(), 0U);
    for (std::uint32_t s = 0; s < graph.size(); ++s) members_[s] = {s};
  }
  void join(std::uint32_t a, std::uint32_t b) {
    const auto [low, high] = std::minmax({of_[a], of_[b]});  // copies
    if (low == high || !dense(low, high)) return;
    for (const std::uint32_t s : members_[high]) of_[s] = low;
    members_[low].insert(members_[low].end(), members_[high].begin(), members_[high].end());
    members_[high].clear();
  }
  std::vector<std::uint32_t> take() { return std::move(of_); }

 private:
  /// More than half of the links that two clusters could have between them are there; parallel ones count
  /// once.
  bool dense(std::uint32_t a, std::uint32_t b) const {
    if (members_[a].size() > members_[b].size()) std::swap(a, b);
    std::size_t links = 0;
    for (const std::uint32_t s : members_[a]) {
      std::uint32_t last = graph_.size();
      for (const DesignGraph::End& e : graph_.ends_of(s)) {
        links += e.to != last && of_[e.to] == b ? 1 : 0;
        last = e.to;
      }
    }
    return links * 2 > members_[a].size() * members_[b].size();
  }

  const DesignGraph& graph_;
  std::vector<std::uint32_t> of_;                    // by switch: its cluster, the lowest in it
  std::vector<std::vector<std::uint32_t>> members_;  // by cluster
};

}  // namespace

std::vector<std::uint32_t> find_router_groups(const DesignGraph& graph) {
  Clusters clusters(graph);
  for (const Candidate& one : candidates(graph))
    clusters.join(graph.edges[one.edge].a, graph.edges[one.edge].b);
  return clusters.take();
}

}  // namespace weft::routing
