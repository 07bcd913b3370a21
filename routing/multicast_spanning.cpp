#include "routing/multicast_spanning.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

#include "routing/port_mask.h"

namespace weft::routing {
namespace {

constexpr std::uint32_t kOutside = MulticastOrder::kNone;
constexpr std::uint32_t kMostAttempts = 16;

class SpanningTree {
 public:
  SpanningTree(const SwitchGraph& graph, const Lanes& lanes)
      : graph_(graph), lanes_(lanes), of_(graph.size()) {
    find_groups();
  }

  std::optional<MulticastOrder> from(std::uint32_t attempt) {
    const std::vector<std::uint32_t> best = groups_by_links();
    if (attempt >= std::min<std::size_t>(best.size(), kMostAttempts)) return std::nullopt;
    order_.level.assign(graph_.size(), kOutside);
    order_.parent.assign(graph_.size(), kOutside);
    const std::uint32_t home = best[attempt];
    const std::uint32_t root = most_linked_inside(home);
    order_.level[root] = 0;
    grow({root}, true);
    reach_other_groups(home);
    for (std::uint32_t s = 0; s < graph_.size(); ++s) {  // what only detours lead to; other parts
      if (s == 0 || order_.level[s] == kOutside) grow(in_tree(), false);
      if (order_.level[s] == kOutside) order_.level[s] = 0;
    }
    return std::move(order_);
  }

 private:
  /// Links inside a group have one lane class at both ends; of a global one, one end rises and one falls.
  bool is_local(std::uint32_t s, const Group& g) const {
    const std::span<const Group> back = graph_.groups(g.to);
    const auto other = std::ranges::lower_bound(back, s, {}, &Group::to);
    return lanes_.class_of(s, graph_.ports(g).front()) == lanes_.class_of(g.to, graph_.ports(*other).front());
  }

  void find_groups() {
    std::iota(of_.begin(), of_.end(), 0U);
    const auto root = [this](std::uint32_t s) {
      while (of_[s] != s) s = of_[s] = of_[of_[s]];
      return s;
    };
    for (std::uint32_t s = 0; s < graph_.size(); ++s) {
      for (const Group& g : graph_.groups(s)) {
        if (!is_local(s, g)) continue;
        const auto [low, high] = std::minmax({root(s), root(g.to)});
        of_[high] = low;
      }
    }
    for (std::uint32_t s = 0; s < graph_.size(); ++s) of_[s] = root(s);
  }

  /// Those linked to most others first; in order of their first switch.
  std::vector<std::uint32_t> groups_by_links() const {
    std::vector<std::vector<std::uint32_t>> linked(graph_.size());
    for (std::uint32_t s = 0; s < graph_.size(); ++s)
      for (const Group& g : graph_.groups(s))
        if (of_[s] != of_[g.to]) linked[of_[s]].push_back(of_[g.to]);
    std::vector<std::pair<std::size_t, std::uint32_t>> sorted;
    for (std::uint32_t s = 0; s < graph_.size(); ++s) {
      if (of_[s] != s) continue;
      std::ranges::sort(linked[s]);
      const auto repeated = std::ranges::unique(linked[s]);
      sorted.emplace_back(graph_.size() - (linked[s].size() - repeated.size()), s);
    }
    std::ranges::sort(sorted);
    std::vector<std::uint32_t> groups;
    for (const auto& [links, group] : sorted) groups.push_back(group);
    return groups;
  }

  std::uint32_t most_linked_inside(std::uint32_t group) const {
    std::pair<std::size_t, std::uint32_t> best{0, group};
    for (std::uint32_t s = group; s < graph_.size(); ++s) {
      if (of_[s] != group) continue;
      std::size_t links = 0;
      for (const Group& g : graph_.groups(s)) links += of_[g.to] == group ? 1 : 0;
      if (links > best.first) best = {links, s};
    }
    return best.second;
  }

  std::vector<std::uint32_t> in_tree() const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t s = 0; s < graph_.size(); ++s)
      if (order_.level[s] != kOutside) found.push_back(s);
    std::ranges::sort(found, {}, [this](std::uint32_t s) { return std::pair(order_.level[s], s); });
    return found;
  }

  /// Breadth first, from switches of the tree; `inside`: over links inside groups alone.
  void grow(std::vector<std::uint32_t> reached, bool inside) {
    for (std::size_t next = 0; next < reached.size(); ++next) {
      const std::uint32_t s = reached[next];
      for (const Group& g : graph_.groups(s)) {
        if (order_.level[g.to] != kOutside || (inside && !is_local(s, g))) continue;
        attach(g.to, s);
        reached.push_back(g.to);
      }
    }
  }
  void attach(std::uint32_t s, std::uint32_t parent) {
    order_.parent[s] = parent;
    order_.level[s] = order_.level[parent] + 1;
  }

  /// One link to each, over the links and switches of the home group in turn.
  void reach_other_groups(std::uint32_t home) {
    std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> ways(
        graph_.size());  // by group: from, to
    for (std::uint32_t s = 0; s < graph_.size(); ++s)
      if (of_[s] == home && order_.level[s] != kOutside)
        for (const Group& g : graph_.groups(s))
          if (of_[g.to] != home) ways[of_[g.to]].emplace_back(s, g.to);
    std::uint32_t turn = 0;
    for (const auto& to_one : ways) {
      if (to_one.empty()) continue;
      const auto [from, to] = to_one[turn++ % to_one.size()];
      attach(to, from);
      grow({to}, true);
    }
  }

  const SwitchGraph& graph_;
  const Lanes& lanes_;
  std::vector<std::uint32_t> of_;  // by switch: the lowest of its group
  MulticastOrder order_;
};

}  // namespace

std::optional<MulticastOrder> spanning_order(const SwitchGraph& graph, const Lanes& lanes,
                                             std::uint32_t attempt) {
  return SpanningTree(graph, lanes).from(attempt);
}

void each_spanning_wait(const SwitchGraph& graph, const MulticastOrder& tree, const Lanes* lanes,
                        const std::function<void(const SpanningWait&)>& use) {
  const auto in_tree = [&tree](std::uint32_t s, std::uint32_t to) {
    return tree.leads_down(s, to) || tree.leads_down(to, s);
  };
  std::vector<PortMask> ports(graph.size());
  for (std::uint32_t s = 0; s < graph.size(); ++s)
    for (const Group& g : graph.groups(s))
      for (const std::uint8_t port : graph.ports(g))
        if (in_tree(s, g.to)) add_port(ports[s], port);
  const auto vl = [lanes](std::uint32_t s, std::uint8_t in, std::uint8_t out) {
    return lanes ? raw(lanes->at(static_cast<SwitchId>(s), PortNum{in}, PortNum{out})) : std::uint8_t{0};
  };
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    for (const Group& g : graph.groups(s)) {
      if (!in_tree(s, g.to)) continue;
      const std::span<const Group> there = graph.groups(g.to);
      const std::span<const std::uint8_t> back =
          graph.ports(*std::ranges::lower_bound(there, s, {}, &Group::to));
      PortMask others = ports[s];
      PortMask onward = ports[g.to];
      for (const std::uint8_t port : graph.ports(g)) others[port / 64] &= ~(std::uint64_t{1} << port % 64);
      for (const std::uint8_t port : back) onward[port / 64] &= ~(std::uint64_t{1} << port % 64);
      for (const std::uint8_t port : graph.ports(g)) {
        std::uint32_t held = 1U << vl(s, 0, port);  // VLs that packets leave by
        each_port(others, [&](std::uint8_t in) { held |= 1U << vl(s, in, port); });
        each_port(onward, [&](std::uint8_t out) {
          for (std::uint32_t bits = held; bits != 0; bits &= bits - 1)
            use({s, port, static_cast<std::uint8_t>(std::countr_zero(bits)), out,
                 vl(g.to, back.front(), out)});
        });
      }
    }
  }
}

}  // namespace weft::routing
