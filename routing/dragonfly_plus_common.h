#pragma once
// PlusCommon: what all groups of a Dragonfly+ share while its engine makes tables (dragonfly_plus.cpp, the
// only user): links inside groups, where each LID hangs, and its number there.

#include <algorithm>
#include <array>
#include <atomic>
#include <span>
#include <vector>

#include "routing/dragonfly_plus_shape.h"
#include "routing/group_detours.h"

namespace weft::routing {

using PlusShape = DragonflyPlusShape;

/// Consecutive LIDs of one group.
struct PlusRun {
  std::uint32_t first = 0;
  std::uint32_t upto = 0;
};

struct PlusCommon {
  static constexpr std::uint32_t kNoGroup = ~0U;
  /// In place of a leaf, added to the place of a spine: one without any, which only exits lead to.
  static constexpr std::uint32_t kNoLeaf = 1U << 30;

  PlusCommon(const Problem& given, const DesignGraph& design, const PlusShape& found, std::uint32_t proposed,
             bool no_rounds = false)
      : problem(given), graph(design), shape(found), variant(proposed), strict(no_rounds) {
    list_local_links();
    number_destinations();
    const auto linked = [this](std::uint32_t from, std::uint32_t to) {
      return std::ranges::any_of(shape.between(from, to), &PlusShape::Exit::live);
    };
    via = group_detours(shape.groups(), linked,
                        variant == 0   ? Detour::any
                        : variant == 1 ? Detour::safest
                                       : Detour::only_one,
                        variant);
  }

  std::uint32_t leaf_count(std::uint32_t g) const {
    return static_cast<std::uint32_t>(shape.leaves[g].size());
  }
  std::uint32_t spine_count(std::uint32_t g) const {
    return static_cast<std::uint32_t>(shape.spines[g].size());
  }
  /// Live ports of a leaf or spine to the spine or leaf at `index` of its group.
  std::span<const std::uint8_t> links(std::uint32_t s, std::uint32_t index) const {
    const std::uint32_t at = first_link[s] + index;
    return {ports.data() + links_begin[at], links_begin[at + 1] - links_begin[at]};
  }
  /// Whether a spine leads to what hangs behind a leaf, or behind itself.
  bool joined(std::uint32_t g, std::uint32_t spine, std::uint32_t leaf) const {
    if (leaf >= kNoLeaf) return leaf == kNoLeaf + spine;
    const std::uint32_t s = shape.spines[g][spine];
    return s < shape.live && !links(s, leaf).empty();
  }

  void list_local_links() {
    first_link.resize(graph.size());
    whole.assign(shape.groups(), true);
    for (std::uint32_t s = 0; s < shape.live; ++s) {
      const PlusShape::Place& at = shape.place[s];
      first_link[s] = static_cast<std::uint32_t>(links_begin.size());
      const std::vector<std::uint32_t>& side = (at.spine ? shape.leaves : shape.spines)[at.group];
      const std::span<const DesignGraph::End> ends = graph.ends_of(s);
      std::size_t next = 0;
      for (const std::uint32_t to : side) {
        links_begin.push_back(static_cast<std::uint32_t>(ports.size()));
        while (next < ends.size() &&
               (shape.place[ends[next].to].group != at.group || graph.guids[ends[next].to] < graph.guids[to]))
          ++next;
        std::uint32_t design = 0;
        for (; next < ends.size() && ends[next].to == to; ++next, ++design)
          if (ends[next].live) ports.push_back(ends[next].port);
        parallel = std::max(parallel, design);
        if (to < shape.live && links_begin.back() == ports.size()) whole[at.group] = false;
      }
    }
    links_begin.push_back(static_cast<std::uint32_t>(ports.size()));
  }

  void number_destinations() {
    const std::size_t size = row_size(problem.top);
    number.resize(size);
    port.assign(size, kNoWay);
    behind.resize(size);
    std::vector<std::uint32_t> group(size, kNoGroup);
    lids.resize(shape.live);
    for (const Destination& d : problem.destinations) {
      for (std::uint32_t j = 0; j < 1U << d.lmc; ++j) {
        const std::uint32_t lid = raw(d.base) + j;
        group[lid] = shape.place[raw(d.at)].group;
        port[lid] = raw(d.port);
        lids[raw(d.at)].push_back(static_cast<std::uint16_t>(lid));
      }
    }
    runs.resize(shape.groups());
    for (std::uint32_t lid = 0; lid < size; ++lid) {
      if (group[lid] == kNoGroup) continue;
      std::vector<PlusRun>& of = runs[group[lid]];
      if (of.empty() || of.back().upto != lid) of.push_back({lid, lid});
      ++of.back().upto;
    }
    for (std::uint32_t g = 0; g < shape.groups(); ++g) number_group(g);
  }

  /// By place in the group: leaf by leaf, then the port; so a dead host shifts nobody else's exit.
  void number_group(std::uint32_t g) {
    std::uint32_t base = 0;
    for (const auto* side : {&shape.leaves[g], &shape.spines[g]}) {
      for (const std::uint32_t s : *side) {
        std::array<std::uint32_t, 256> place{};
        for (std::size_t p = 1; p < 256; ++p)
          if (graph.host_ports[s][p]) place[p] = base++;
        if (s >= shape.live) continue;
        place[0] = shape.place[s].index;
        const std::uint32_t leaf =
            shape.place[s].spine ? in_leaf(g, shape.place[s].index) : shape.place[s].index;
        std::uint32_t plane = 0;
        for (std::size_t i = 0; i < lids[s].size(); ++i) {
          const std::uint16_t lid = lids[s][i];
          plane = i > 0 && lids[s][i - 1] + 1 == lid && port[lids[s][i - 1]] == port[lid] ? plane + 1 : 0;
          number[lid] = place[port[lid]] + plane;
          behind[lid] = leaf;
        }
      }
    }
  }

  /// The leaf where packets from outside turn up to a spine: the first that has a link to it.
  std::uint32_t in_leaf(std::uint32_t g, std::uint32_t spine) const {
    for (std::uint32_t i = 0; i < leaf_count(g); ++i) {
      const std::uint32_t l = (i + variant / 2) % leaf_count(g);
      if (shape.leaves[g][l] < shape.live && joined(g, spine, l)) return l;
    }
    return kNoLeaf + spine;
  }

  const Problem& problem;
  const DesignGraph& graph;
  const PlusShape& shape;
  std::vector<std::uint32_t> first_link;   // by switch: into links_begin
  std::vector<std::uint32_t> links_begin;  // by switch and index of the other side: into ports
  std::vector<std::uint8_t> ports;
  std::vector<bool> whole;                       // by group: every live spine has a link to every live leaf
  std::uint32_t parallel = 1;                    // most links between a leaf and a spine
  std::vector<std::uint32_t> number;             // by LID: place among the hosts of its group
  std::vector<std::uint8_t> port;                // by LID: delivering port
  std::vector<std::uint32_t> behind;             // by LID: the leaf it hangs on, or the in leaf of its spine
  std::vector<std::vector<std::uint16_t>> lids;  // by switch
  std::vector<std::vector<PlusRun>> runs;        // by group
  GroupDetours via;
  std::uint32_t variant = 0;
  bool strict = false;  // what may close a circle has no way
  mutable std::atomic<bool> goes_round{
      false};  // whether anything does that may close a circle, or finds no way
};

}  // namespace weft::routing
