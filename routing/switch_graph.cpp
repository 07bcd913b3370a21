#include "routing/switch_graph.h"

#include <algorithm>

#include <fmt/ranges.h>

namespace weft::routing {

SwitchGraph::SwitchGraph(const Problem& problem) {
  const std::size_t count = problem.fabric->switch_count();
  add_links(*problem.fabric);
  find_parts();

  hosts_.resize(count);
  destination_begin_.resize(count + 1);
  if (count == 0) return;  // two hosts back to back: their destinations hang on no switch

  for (const Destination& d : problem.destinations) {
    ++destination_begin_[raw(d.at) + 1];
    if (!d.is_switch()) ++hosts_[raw(d.at)];
  }
  for (std::size_t s = 0; s < count; ++s) destination_begin_[s + 1] += destination_begin_[s];
  destinations_.resize(problem.destinations.size());
  std::vector<std::uint32_t> next(destination_begin_.begin(), destination_begin_.end() - 1);
  for (std::uint32_t i = 0; i < problem.destinations.size(); ++i)
    destinations_[next[raw(problem.destinations[i].at)]++] = i;
}

void SwitchGraph::add_links(const fabric::Fabric& fabric) {
  std::vector<std::pair<std::uint32_t, std::uint8_t>> links;  // neighbour, own port
  group_begin_.push_back(0);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    links.clear();
    const std::span<const fabric::Port> ports = fabric.ports(static_cast<SwitchId>(s));
    for (std::size_t p = 1; p < ports.size(); ++p) {
      if (!ports[p].peer) continue;
      const std::optional<SwitchId> to = fabric.switch_of(ports[p].peer->node);
      if (to && raw(*to) != s) links.emplace_back(raw(*to), static_cast<std::uint8_t>(p));
    }
    std::ranges::sort(links);
    for (const auto& [to, port] : links) {
      const bool begins = groups_.size() == group_begin_[s] || groups_.back().to != to;
      if (begins) groups_.push_back({to, static_cast<std::uint32_t>(ports_.size()), 0});
      ++groups_.back().port_count;
      ports_.push_back(port);
    }
    group_begin_.push_back(static_cast<std::uint32_t>(groups_.size()));
    most_groups_ = std::max(most_groups_, group_begin_[s + 1] - group_begin_[s]);
  }
}

void SwitchGraph::find_parts() {
  constexpr std::uint32_t kNone = ~0U;
  parts_.assign(size(), kNone);
  std::vector<std::uint32_t> reached;
  for (std::uint32_t s = 0; s < size(); ++s) {
    if (parts_[s] != kNone) continue;
    reached.assign(1, s);
    parts_[s] = part_count_;
    for (std::size_t next = 0; next < reached.size(); ++next) {
      for (const Group& g : groups(reached[next])) {
        if (parts_[g.to] != kNone) continue;
        parts_[g.to] = part_count_;
        reached.push_back(g.to);
      }
    }
    ++part_count_;
  }
}

std::string note_on_parts(const SwitchGraph& graph) {
  if (graph.part_count() < 2) return {};
  std::vector<std::uint32_t> sizes(graph.part_count());
  for (const std::uint32_t part : graph.parts()) ++sizes[part];
  std::ranges::sort(sizes, std::greater{});
  constexpr std::size_t kShown = 8;
  const bool more = sizes.size() > kShown;
  if (more) sizes.resize(kShown);
  return fmt::format("the switches are in {} parts ({}{} switches), which cannot reach each other",
                     graph.part_count(), fmt::join(sizes, ", "), more ? ", ..." : "");
}

}  // namespace weft::routing
