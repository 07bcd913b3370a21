// up-down: paths that first go up and then down along one order of the switches (up_down_order.h), the
// shortest that tables by destination can have, evenly loaded (spread.h). Safe on one VL with any traffic on
// any SL.
//
// A table cannot tell how a packet came, so a switch that gets packets for a destination from above must send
// them down, and the others may send up. Per destination, for 64 of them at once:
// 1. from the last switch of the order to the first: shortest way down, from those of the switches below;
// 2. from the first to the last: when somebody above sends down through this switch, its ways are the
// shortest ways
//    down; else the shortest of both, up lengths being final already. Mark the switches below that ways lead
//    to.
// Every switch has a way, since the order leads up from each to the start of its part, and down from there to
// all.
//
// layered: the same along several orders with starts far apart, one for each LID offset of a host (LMC), each
// on a VL of its own. So clients have several ways to choose from, and what one order forbids another may
// allow. Source: reference "Routing", 7.7.

#include <algorithm>

#include <fmt/format.h>

#include "routing/engines.h"
#include "routing/spread.h"
#include "routing/up_down_order.h"

namespace weft::routing {
namespace {

void take_least(Lengths& least, const Lengths& other) {
  for (std::uint32_t k = 0; k < kLanes; ++k) least[k] = std::min(least[k], other[k]);
}

/// One link more, or no path.
void add_link(Lengths& length) {
  for (std::uint8_t& l : length) l = l < kLongestPath ? static_cast<std::uint8_t>(l + 1) : kNoPath;
}

class Solver {
 public:
  Solver(const SwitchGraph& graph, const UpDownOrder& order)
      : graph_(graph), order_(order), down_(graph.size()), from_above_(graph.size()) {}

  void operator()(Batch& batch) {
    std::ranges::fill(from_above_, 0);
    down_ = batch.length;  // no path anywhere
    for (std::uint32_t k = 0; k < batch.count; ++k) down_[batch.first + k][k] = 0;
    for (auto s = order_.switches.rbegin(); s != order_.switches.rend(); ++s) find_down(*s);
    for (const std::uint32_t s : order_.switches) choose(s, batch);
  }

 private:
  bool is_above(std::uint32_t a, std::uint32_t b) const { return order_.position[a] < order_.position[b]; }

  void find_down(std::uint32_t s) {
    Lengths best;
    best.fill(kNoPath);
    for (const Group& g : graph_.groups(s))
      if (is_above(s, g.to)) take_least(best, down_[g.to]);
    add_link(best);
    take_least(down_[s], best);
  }

  void choose(std::uint32_t s, Batch& batch) {
    Lengths& length = batch.length[s];
    for (const Group& g : graph_.groups(s))
      if (is_above(g.to, s)) take_least(length, batch.length[g.to]);
    add_link(length);
    const std::uint64_t bound = from_above_[s];
    for (std::uint32_t k = 0; k < kLanes; ++k)
      length[k] = (bound >> k & 1) != 0 ? down_[s][k] : std::min(length[k], down_[s][k]);

    Lengths next = length;  // what a neighbour on the way has left; no neighbour has kLongestPath + 1
    for (std::uint8_t& l : next)
      l = l == 0 || l == kNoPath ? kLongestPath + 1 : static_cast<std::uint8_t>(l - 1);
    std::uint64_t* way = batch.ways.data() + graph_.group_begin(s);
    for (const Group& g : graph_.groups(s)) {
      if (is_above(g.to, s)) {
        *way++ = equal_lanes(batch.length[g.to], next) & ~bound;
      } else {
        *way = equal_lanes(down_[g.to], next);
        from_above_[g.to] |= *way++;
      }
    }
  }

  const SwitchGraph& graph_;
  const UpDownOrder& order_;
  std::vector<Lengths> down_;  // by switch: shortest way of down links only
  std::vector<std::uint64_t>
      from_above_;  // by switch: lanes for which a switch above may send down through it
};

}  // namespace

Result<Routes> up_down(const Problem& problem) {
  const SwitchGraph graph(problem);
  UpDownOrder order = up_down_order(problem, graph);
  Tables tables(problem);
  spread_all(problem, graph, tables, Solver(graph, order));
  Routes routes = std::move(tables).finish("up-down");
  routes.notes = std::move(order.notes);
  if (std::string note = note_on_parts(graph); !note.empty()) routes.notes.push_back(std::move(note));
  return routes;
}

Result<Routes> layered(const Problem& problem) {
  std::uint8_t lmc = 0;
  for (const Destination& d : problem.destinations)
    if (!d.is_switch()) lmc = std::max(lmc, d.lmc);
  const int layers = std::clamp(problem.max_layers, 1, std::min(1 << lmc, 8));
  const SwitchGraph graph(problem);
  std::vector<UpDownOrder> orders = up_down_orders(problem, graph, layers);
  Tables tables(problem);
  Spread spread(problem, graph, tables);
  for (int layer = 0; layer < layers; ++layer) {
    spread.take_layer(layer, layers);
    spread_all(graph, spread, Solver(graph, orders[static_cast<std::size_t>(layer)]));
  }
  Routes routes = std::move(tables).finish("layered");
  routes.layers = routes.vls_needed = layers;
  for (UpDownOrder& order : orders) std::ranges::move(order.notes, std::back_inserter(routes.notes));
  if (layers == 1)
    routes.notes.push_back(
        fmt::format("one layer, safe on any SL: {}",
                    lmc == 0 ? "hosts have one LID each (LMC 0)" : "one layer is allowed"));
  else
    routes.notes.push_back(
        fmt::format("{} layers: LIDs at offset i go on VL i modulo {}; safe only as long as clients use the "
                    "SL that their "
                    "path records give",
                    layers, layers));
  if (std::string note = note_on_parts(graph); !note.empty()) routes.notes.push_back(std::move(note));
  return routes;
}

}  // namespace weft::routing
