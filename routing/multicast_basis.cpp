#include "routing/multicast_basis.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include <fmt/format.h>

#include "routing/multicast_spanning.h"
#include "routing/tree_shape.h"
#include "routing/tree_turns.h"
#include "routing/up_down_order.h"
#include "routing/waits.h"

namespace weft::routing {
namespace {

constexpr std::uint32_t kLeftOut = MulticastOrder::kNone;

struct TreeOrders {
  MulticastOrder ranked;  ///< Levels by rank, and who stands highest by design.
  MulticastOrder turned;  ///< Along the order that packets turn by; from its first, all are reached.
};

/// Nothing for what is no tree.
std::optional<TreeOrders> of_tree(const Problem& problem) {
  const DesignGraph graph(problem);
  const Result<TreeShape> shape = tree_shape(problem, graph);
  if (!shape && problem.design) return without_design(problem, of_tree);
  if (!shape) return std::nullopt;
  TreeOrders orders;
  MulticastOrder& order = orders.ranked;
  for (std::uint32_t s = 0; s < shape->live; ++s) order.level.push_back(shape->top - shape->rank[s]);
  std::vector<std::uint32_t> highest;
  for (std::uint32_t s = 0; s < graph.size(); ++s)
    if (shape->rank[s] == shape->top) highest.push_back(s);
  std::ranges::sort(highest, {}, [&graph](std::uint32_t s) { return graph.guids[s]; });
  for (const std::uint32_t s : highest) order.homes.push_back(s < shape->live ? s : kLeftOut);
  orders.turned.level = TreeTurns(*shape, TreeReach(*shape, problem.threads)).positions();
  return orders;
}

MulticastOrder by_growth(const Problem& problem, const SwitchGraph& graph) {
  MulticastOrder order;
  order.level = up_down_order(problem, graph).position;
  return order;
}

void find_reach(const SwitchGraph& graph, std::uint32_t words, MulticastOrder& order) {
  order.reach.assign(std::size_t{graph.size()} * words, 0);
  std::vector<std::uint32_t> lowest_first(graph.size());
  std::iota(lowest_first.begin(), lowest_first.end(), 0U);
  std::ranges::sort(lowest_first, std::greater{}, [&order](std::uint32_t s) { return order.level[s]; });
  for (const std::uint32_t s : lowest_first) {
    if (order.level[s] == kLeftOut) continue;
    std::uint64_t* to = order.reach.data() + std::size_t{s} * words;
    to[s / 64] |= std::uint64_t{1} << s % 64;
    for (const Group& g : graph.groups(s)) {
      if (!order.leads_down(s, g.to)) continue;
      const std::uint64_t* from = order.reach.data() + std::size_t{g.to} * words;
      for (std::uint32_t w = 0; w < words; ++w) to[w] |= from[w];
    }
  }
}

void find_tops(const SwitchGraph& graph, std::uint32_t words, MulticastOrder& order) {
  std::vector<std::vector<std::uint64_t>> wanted(graph.part_count(), std::vector<std::uint64_t>(words));
  for (std::uint32_t s = 0; s < graph.size(); ++s)
    if (graph.hosts(s) != 0) wanted[graph.parts()[s]][s / 64] |= std::uint64_t{1} << s % 64;
  order.tops.resize(graph.part_count());
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    const std::vector<std::uint64_t>& want = wanted[graph.parts()[s]];
    const std::uint64_t* have = order.reach.data() + std::size_t{s} * words;
    bool all = order.level[s] != kLeftOut;
    for (std::uint32_t w = 0; w < words; ++w) all = all && (want[w] & ~have[w]) == 0;
    if (all) order.tops[graph.parts()[s]].push_back(s);
  }
}

/// The same order for each size of table that there is: without the switches that are smaller.
std::vector<MulticastOrder> by_room(const MulticastOrder& order, const MulticastBasis::Parts& parts) {
  std::vector<std::uint32_t> rooms;
  for (const std::uint16_t room : parts.room)
    rooms.push_back(room == 0 ? std::numeric_limits<std::uint32_t>::max() : room);
  std::ranges::sort(rooms);
  rooms.erase(std::ranges::unique(rooms).begin(), rooms.end());
  std::vector<MulticastOrder> orders;
  for (const std::uint32_t room : rooms) {
    MulticastOrder& one = orders.emplace_back(order);
    one.room = room;
    for (std::uint32_t s = 0; s < parts.graph.size(); ++s)
      if (parts.room[s] != 0 && parts.room[s] < room) one.level[s] = kLeftOut;
    find_reach(parts.graph, parts.words, one);
    find_tops(parts.graph, parts.words, one);
  }
  return orders;
}

/// Every turn that some tree along the order can make, for packets of any of the lanes.
void add_turns(const SwitchGraph& graph, const std::vector<std::uint32_t>& level, const Lanes* lanes,
               const Waits& waits, ChannelGraph& channels) {
  const CheckCables& cables = waits.cables;
  std::vector<PortMask> down(graph.size());
  std::vector<PortMask> any(graph.size());
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    for (const Group& g : graph.groups(s)) {
      for (const std::uint8_t port : graph.ports(g)) {
        add_port(any[s], port);
        if (level[s] < level[g.to]) add_port(down[s], port);
      }
    }
  }
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    for (const Group& g : graph.groups(s)) {
      PortMask onward = level[g.to] < level[s] ? any[g.to] : down[g.to];
      for (const Group& back : graph.groups(g.to)) {
        if (back.to != s) continue;
        for (const std::uint8_t port : graph.ports(back))
          onward[port / 64] &= ~(std::uint64_t{1} << port % 64);
      }
      for (const std::uint8_t port : graph.ports(g)) {
        if (waits.lanes == 1) {
          channels.depend_all(channels.id(s, port), onward);
          continue;
        }
        if (!lanes) {  // layers: groups go with the first
          each_port(onward, [&](std::uint8_t out) { channels.depend(channels.id(s, port), out); });
          continue;
        }
        const auto in = static_cast<PortNum>(cables.far[s * cables.width + port]);
        each_port(onward, [&](std::uint8_t out) {
          const Vl vl = lanes->at(static_cast<SwitchId>(g.to), in, static_cast<PortNum>(out));
          for (std::uint32_t lane = 0; lane < waits.lanes; ++lane)
            channels.depend(channels.id(s, port, lane), out, raw(vl));
        });
      }
    }
  }
}

/// The credit cycle that trees along the order could close with unicast; empty when there is none.
std::vector<Channel> cycle_with(const SwitchGraph& graph, const MulticastOrder& order, const Lanes* lanes,
                                const Waits& waits) {
  ChannelGraph channels = waits.channels;
  if (order.parent.empty())
    add_turns(graph, order.level, lanes, waits, channels);
  else
    each_spanning_wait(graph, order, lanes, [&](const SpanningWait& wait) {
      channels.depend(channels.id(wait.from, wait.port, wait.lane), wait.out, wait.out_lane);
    });
  return channels.find_cycle();
}

}  // namespace

MulticastBasis::Parts::Parts(const Problem& problem, const Routes& routes,
                             const std::shared_ptr<const Waits>& waits)
    : graph(problem), words((graph.size() + 63) / 64) {
  const fabric::Fabric& fabric = *problem.fabric;
  for (const NodeId id : fabric.switches()) {
    guids.push_back(fabric.node(id).guid);
    room.push_back(fabric.node(id).switch_facts.mft_capacity);
    width = std::max<std::uint32_t>(width, static_cast<std::uint32_t>(fabric.ports(id).size()));
  }
  far.assign(std::size_t{graph.size()} * width, 0);
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    const std::span<const fabric::Port> ports = fabric.ports(static_cast<SwitchId>(s));
    for (std::size_t p = 1; p < ports.size(); ++p)
      if (ports[p].peer) far[s * width + p] = raw(ports[p].peer->port);
  }
  if (graph.size() == 0) return;

  const std::optional<TreeOrders> tree = of_tree(problem);
  const MulticastOrder grown = by_growth(problem, graph);
  const auto safe = [&](const MulticastOrder& order) {
    if (!waits) return false;
    const std::vector<Channel> cycle = cycle_with(graph, order, routes.lanes.get(), *waits);
    if (!cycle.empty())
      why = "with unicast they could close a credit cycle: " + describe_cycle(fabric, cycle);
    return cycle.empty();
  };
  std::vector<const MulticastOrder*> tries;
  if (tree) tries.push_back(&tree->ranked);
  tries.insert(routes.engine == "up-down" ? tries.begin() : tries.end(), &grown);
  const auto taken = std::ranges::find_if(tries, [&](const MulticastOrder* order) { return safe(*order); });
  std::optional<MulticastOrder> spanning;
  own_lane = taken == tries.end();
  for (std::uint32_t i = 0; own_lane && routes.lanes && (spanning = spanning_order(graph, *routes.lanes, i));
       ++i)
    own_lane = !safe(*spanning);
  if (!own_lane) why.clear();
  if (own_lane && why.empty()) why = "nothing is known of what unicast waits for";
  orders = by_room(own_lane ? grown : spanning ? *spanning : **taken, *this);
  if (own_lane || (taken != tries.end() && *taken == &grown)) return;
  find_fallback_ = [this, waits, lanes = routes.lanes, grown,
                    turned = tree && !spanning ? tree->turned : MulticastOrder()] {
    const bool safe_turned = !turned.level.empty() && cycle_with(graph, turned, lanes.get(), *waits).empty();
    return Fallback{by_room(safe_turned ? turned : grown, *this), !safe_turned};
  };
}

const MulticastBasis::Parts::Fallback& MulticastBasis::Parts::fallback() const {
  std::call_once(asked_, [this] {
    if (find_fallback_) fallback_ = find_fallback_();
  });
  return fallback_;
}

const MulticastOrder* MulticastBasis::Parts::order_for(const std::vector<MulticastOrder>& orders, Lid mlid) {
  const auto at = std::ranges::upper_bound(orders, multicast_index(mlid), {}, &MulticastOrder::room);
  return at == orders.end() ? nullptr : &*at;
}

MulticastBasis::MulticastBasis(const Problem& problem, const Routes& routes,
                               const std::shared_ptr<const Waits>& waits)
    : parts_(std::make_unique<const Parts>(problem, routes, waits)) {}
MulticastBasis::MulticastBasis(MulticastBasis&&) noexcept = default;
MulticastBasis& MulticastBasis::operator=(MulticastBasis&&) noexcept = default;
MulticastBasis::~MulticastBasis() = default;

bool MulticastBasis::own_lane() const { return parts_->own_lane; }
const std::string& MulticastBasis::why() const { return parts_->why; }

}  // namespace weft::routing
