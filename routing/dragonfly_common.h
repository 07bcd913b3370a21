#pragma once
// DragonflyCommon: what all routers of a dragonfly share while its engine makes tables (dragonfly.cpp,
// dragonfly_displaced.cpp): where each LID hangs, and its number there.

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <vector>

#include "routing/dragonfly_shape.h"

namespace weft::routing {

/// Consecutive LIDs of one group.
struct DragonflyRun {
  std::uint32_t first = 0;
  std::uint32_t upto = 0;
};

struct DragonflyCommon {
  static constexpr std::uint32_t kNoOwner = ~0U;

  DragonflyCommon(const Problem& given, const DesignGraph& design, const DragonflyShape& found)
      : problem(given),
        graph(design),
        shape(found),
        number(row_size(given.top)),
        port(number.size()),
        owner(number.size(), kNoOwner) {
    lids.resize(shape.live);
    for (const Destination& d : given.destinations) {
      for (std::uint32_t j = 0; j < 1U << d.lmc; ++j) {
        const std::uint32_t lid = raw(d.base) + j;
        owner[lid] = raw(d.at);
        port[lid] = raw(d.port);
        lids[raw(d.at)].push_back(static_cast<std::uint16_t>(lid));
      }
    }
    number_hosts();
    runs.resize(shape.groups());
    for (std::uint32_t lid = 0; lid < owner.size(); ++lid) {
      if (owner[lid] == kNoOwner) continue;
      std::vector<DragonflyRun>& of = runs[shape.group[owner[lid]]];
      if (of.empty() || of.back().upto != lid) of.push_back({lid, lid});
      ++of.back().upto;
    }
    for (const auto& routers : shape.routers)
      std::ranges::copy_if(routers, std::back_inserter(order),
                           [this](std::uint32_t r) { return r < shape.live; });
  }

  /// By place in the group: position of the router, then the port; so a dead host shifts nobody else's
  /// router.
  void number_hosts() {
    for (const auto& routers : shape.routers) {
      std::uint32_t base = 0;
      for (const std::uint32_t s : routers) {
        std::array<std::uint32_t, 256> place{};
        std::uint32_t next = base;
        for (std::size_t p = 0; p < 256; ++p)
          if (graph.host_ports[s][p]) place[p] = next++;
        base = next;
        if (s >= shape.live) continue;
        place[0] = s;
        std::uint32_t plane = 0;
        for (std::size_t i = 0; i < lids[s].size(); ++i) {
          const std::uint16_t lid = lids[s][i];
          plane = i > 0 && lids[s][i - 1] + 1 == lid && port[lids[s][i - 1]] == port[lid] ? plane + 1 : 0;
          number[lid] = place[port[lid]] + plane;
        }
      }
    }
  }

  const Problem& problem;
  const DesignGraph& graph;
  const DragonflyShape& shape;
  std::vector<std::uint32_t> number;             // by LID: place among the hosts of its group
  std::vector<std::uint8_t> port;                // by LID: delivering port
  std::vector<std::uint32_t> owner;              // by LID: the router it hangs on
  std::vector<std::vector<std::uint16_t>> lids;  // by switch
  std::vector<std::vector<DragonflyRun>> runs;   // by group
  std::vector<std::uint32_t> order;              // live routers, group by group
  mutable std::atomic<bool> holes{false};        // whether any router has lost a minimal way
};

}  // namespace weft::routing
