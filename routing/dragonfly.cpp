// dragonfly: minimal routes, local - global - local, on one SL and two VLs. The VL of a hop follows from the
// ports a packet comes and goes by (lanes.h): global links to a higher group on VL 0, to a lower one on VL 1;
// local links on VL 0 for what hosts send, on VL 1 after a global hop. So no SL is needed to be safe, and
// none changes in a fault.
//
// A router with links of its own to the destination's group uses those; else it deals the group's links by
// the number of the destination, and only flows whose link is a hole move. Where two groups have lost all
// links between them, the sending group goes by way of a third: one above both, else one between, going down
// all the way, else any. A router cut off from the exit inside its group detours by a global link of its own,
// or by another router there, though two local hops before a global one can close a credit cycle. Inside the
// destination's group a dead local link is gone round by way of a router below both ends, if there is any.
// Where there are such detours, they are proposed in several variants until the check finds one free of
// cycles. Cost: O(switches * LIDs) bytes written, in runs. Source: Kim, Dally, Scott, Abts, ISCA 2008; lanes
// and detours as in reference "Routing", 2.4 and 7.5.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "routing/check.h"
#include "routing/dragonfly_shape.h"
#include "routing/engines.h"
#include "routing/group_detours.h"
#include "routing/group_lanes.h"
#include "routing/parallel.h"

namespace weft::routing {
namespace {

constexpr std::uint32_t kNoOwner = ~0U;
constexpr std::uint32_t kVariants = 16;

using Exit = DragonflyShape::Exit;

/// Consecutive LIDs with one owner.
struct Run {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t owner = 0;
};

/// What all routers share.
struct Plan {
  Plan(const Problem& given, const DesignGraph& design, const DragonflyShape& found)
      : problem(given), graph(design), shape(found), number(row_size(given.top)), port(number.size()) {
    std::vector<std::uint32_t> owner(number.size(), kNoOwner);
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
    for (std::uint32_t lid = 0; lid < owner.size(); ++lid) {
      if (owner[lid] == kNoOwner) continue;
      const std::uint32_t g = shape.group[owner[lid]];
      if (!runs.empty() && runs.back().first + runs.back().count == lid && runs.back().owner == g)
        ++runs.back().count;
      else
        runs.push_back({lid, 1, g});
    }
    via = group_detours(shape.groups(),
                        [this](std::uint32_t from, std::uint32_t to) { return linked(from, to); });
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

  bool linked(std::uint32_t from, std::uint32_t to) const {
    return std::ranges::any_of(shape.between(from, to), &Exit::live);
  }

  const Problem& problem;
  const DesignGraph& graph;
  const DragonflyShape& shape;
  std::vector<std::uint32_t> number;             // by LID: place among the hosts of its group
  std::vector<std::uint8_t> port;                // by LID: delivering port
  std::vector<std::vector<std::uint16_t>> lids;  // by switch
  std::vector<Run> runs;                         // by LID; owner is a group
  GroupDetours via;
  std::uint32_t variant = 0;                 // which of the detours there are is proposed
  mutable std::atomic<bool> detours{false};  // whether any was needed
};

/// Fills rows; one for each thread.
class DragonflyRows {
 public:
  explicit DragonflyRows(const Plan& plan)
      : p_(plan), shape_(plan.shape), ways_(shape_.groups()), local_(shape_.group.size()) {}

  void fill(std::uint32_t s, std::uint8_t* row) {
    s_ = s;
    group_ = shape_.group[s];
    list_local();
    for (std::uint32_t to = 0; to < shape_.groups(); ++to)
      if (to != group_) find_ways(to);
    std::memset(row, kNoWay, row_size(p_.problem.top));
    for (const Run& run : p_.runs) {
      if (run.owner == group_) continue;
      const std::vector<std::uint8_t>& ways = ways_[run.owner];
      if (ways.size() == 1) {
        std::memset(row + run.first, ways.front(), run.count);
      } else if (!ways.empty()) {
        for (std::uint32_t lid = run.first; lid < run.first + run.count; ++lid)
          row[lid] = ways[p_.number[lid] % ways.size()];
      }
    }
    for (const std::uint32_t to : shape_.routers[group_]) fill_group(to, row);
    for (const std::uint32_t to : shape_.routers[group_]) clear(to);
  }

 private:
  using Ports = std::vector<std::uint8_t>;

  /// Live ports to each router of the group.
  void list_local() {
    for (const DesignGraph::End& e : p_.graph.ends_of(s_))
      if (e.live && shape_.group[e.to] == group_) local_[e.to].push_back(e.port);
  }
  void clear(std::uint32_t router) { local_[router].clear(); }

  std::uint8_t to_router(std::uint32_t router, std::uint32_t turn) const {
    const Ports& ports = local_[router];
    return ports.empty() ? kNoWay : ports[turn % ports.size()];
  }

  /// ways_[to]: ports by the number of the destination modulo their count.
  void find_ways(std::uint32_t to) {
    Ports& ways = ways_[to];
    ways.clear();
    const std::uint32_t via = p_.via.by(group_, to);
    const std::uint32_t target = via == GroupDetours::kNone ? to : via;
    if (target != to) p_.detours = true;
    if (deal(shape_.between(group_, target), ways)) return;
    p_.detours = true;
    const bool inside_first = p_.variant % 2 != 0;
    if (inside_first && detour_inside(target, ways)) return;
    if (detour_outside(to, ways)) return;
    if (!inside_first) detour_inside(target, ways);
  }

  /// By a global link of its own.
  bool detour_outside(std::uint32_t to, Ports& ways) const {
    for (const int order : {0, 1, 2}) {
      for (const DesignGraph::End& e : p_.graph.ends_of(s_)) {
        const std::uint32_t x = shape_.group[e.to];
        if (e.live && x != group_ && x != to && GroupDetours::preference(group_, x, to) == order &&
            leads(e.to, to))
          ways.push_back(e.port);
      }
      if (!ways.empty()) break;
    }
    if (p_.variant != 0) keep_one(ways);
    return !ways.empty();
  }

  /// By one other router of the group.
  bool detour_inside(std::uint32_t target, Ports& ways) const {
    for (const DesignGraph::End& e : p_.graph.ends_of(s_))
      if (e.live && shape_.group[e.to] == group_ && leads(e.to, target)) ways.push_back(e.port);
    keep_one(ways);
    return !ways.empty();
  }

  /// The fewer ways, the fewer cycles.
  void keep_one(Ports& ways) const {
    if (ways.size() > 1) ways = {ways[(p_.variant / 2 + (p_.variant < 2 ? 0 : s_)) % ways.size()]};
  }

  /// Whether a router has a link to another group, or a local one to a router that has: else it would detour,
  /// too, and packets could come round.
  bool leads(std::uint32_t router, std::uint32_t to) const {
    return std::ranges::any_of(shape_.between(shape_.group[router], to), [&](const Exit& e) {
      if (!e.live || e.router == router) return e.live;
      return std::ranges::any_of(p_.graph.ends_of(router), [&e](const DesignGraph::End& local) {
        return local.live && local.to == e.router;
      });
    });
  }

  /// Own links if there are any, else those of routers one hop away; holes are filled from the rest in turn.
  bool deal(const std::vector<Exit>& exits, Ports& ways) const {
    for (const Exit& e : exits)
      if (e.router == s_ && e.live) ways.push_back(e.port);
    if (!ways.empty()) return true;
    Ports usable;
    for (std::size_t i = 0; i < exits.size(); ++i) {
      const Exit& e = exits[i];
      ways.push_back(e.live && e.router != s_ ? to_router(e.router, static_cast<std::uint32_t>(i)) : kNoWay);
      if (ways.back() != kNoWay) usable.push_back(ways.back());
    }
    std::size_t next = 0;
    for (std::uint8_t& port : ways)
      if (port == kNoWay && !usable.empty()) port = usable[next++ % usable.size()];
    if (usable.empty()) ways.clear();
    return !ways.empty();
  }

  void fill_group(std::uint32_t to, std::uint8_t* row) const {
    if (to >= shape_.live) return;
    for (const std::uint16_t lid : p_.lids[to]) {
      if (to == s_)
        row[lid] = p_.port[lid];
      else
        row[lid] = local_[to].empty() ? around(to, p_.number[lid]) : to_router(to, p_.number[lid]);
    }
  }

  /// By a router of the group that is linked to both, one below both if there is any.
  std::uint8_t around(std::uint32_t to, std::uint32_t turn) const {
    Ports below;
    Ports other;
    for (const DesignGraph::End& e : p_.graph.ends_of(to)) {
      if (!e.live || shape_.group[e.to] != group_ || local_[e.to].empty()) continue;
      const bool low = p_.graph.guids[e.to] < std::min(p_.graph.guids[to], p_.graph.guids[s_]);
      (low ? below : other).push_back(to_router(e.to, turn));
    }
    p_.detours = true;
    if (!below.empty()) return below[turn % below.size()];
    return other.empty() ? kNoWay : other[(p_.variant + s_) % other.size()];
  }

  const Plan& p_;
  const DragonflyShape& shape_;
  std::uint32_t s_ = 0;
  std::uint32_t group_ = 0;
  std::vector<Ports> ways_;   // by group
  std::vector<Ports> local_;  // by router
};

}  // namespace

namespace {

Routes tables_of(const Plan& plan) {
  const Problem& problem = plan.problem;
  Tables tables(problem);
  in_pieces(plan.shape.live, problem.threads, [&](std::uint32_t from, std::uint32_t upto) {
    DragonflyRows worker(plan);
    std::vector<std::uint8_t> row(row_size(problem.top));
    for (std::uint32_t s = from; s < upto; ++s) {
      worker.fill(s, row.data());
      tables.set(s, row.data());
    }
  });
  Routes routes = std::move(tables).finish("dragonfly");
  routes.vls_needed = 2;
  routes.lanes = std::make_shared<const Lanes>(
      group_lanes(problem, plan.graph, [&plan](std::uint32_t s) { return plan.shape.group[s]; }));
  routes.notes.push_back(describe(plan.shape));
  if (std::string note = describe(plan.via); !note.empty()) routes.notes.push_back(std::move(note));
  return routes;
}

}  // namespace

Result<Routes> dragonfly(const Problem& problem) {
  const DesignGraph graph(problem);
  const Result<DragonflyShape> shape = dragonfly_shape(problem, graph);
  if (!shape && problem.design) return without_design(problem, dragonfly);
  if (!shape) return fail(shape.error());
  Plan plan(problem, graph, *shape);
  Routes first = tables_of(plan);
  if (!plan.detours || check(problem, first).cycle.empty()) return first;
  for (plan.variant = 1; plan.variant < kVariants; ++plan.variant)
    if (Routes other = tables_of(plan); check(problem, other).cycle.empty()) return other;
  return first;
}

}  // namespace weft::routing
