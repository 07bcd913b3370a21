// dragonfly: minimal routes, local - global - local, on one SL and two VLs. The VL of a hop follows from the
// ports a packet comes and goes by (lanes.h): global links to a higher group on VL 0, to a lower one on VL 1;
// local links on VL 0 for what hosts send, on VL 1 after a global hop. So no SL is needed to be safe, and
// none changes in a fault.
//
// A router with links of its own to the destination's group uses those; else it deals the group's links by
// the number of the destination, and only flows whose link is a hole move. Where two groups have lost all
// links between them, the sending group goes by way of others. A router cut off from the exit inside its
// group detours by a global link of its own, or by another router there, though two local hops before a
// global one can close a credit cycle. Inside the destination's group a dead local link is gone round by way
// of a router below both ends, if there is any. Where there are such detours, they are proposed in several
// variants until the check finds one free of cycles.
//
// Routers of one group are filled one after another: mostly a row is that of the router before but for the
// groups that one of the two has a link to. Cost: O(switches * LIDs) bytes copied. Source: Kim, Dally, Scott,
// Abts, ISCA 2008; lanes and detours as in reference "Routing", 2.4 and 7.5.

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>

#include "routing/check.h"
#include "routing/dragonfly_shape.h"
#include "routing/engines.h"
#include "routing/group_detours.h"
#include "routing/group_lanes.h"
#include "routing/parallel.h"

namespace weft::routing {
namespace {

constexpr std::uint32_t kNoOwner = ~0U;
constexpr std::uint32_t kVariants = 18;
constexpr std::uint32_t kSafest = 2;  // variants before this one spread loads widest

using Exit = DragonflyShape::Exit;

/// Consecutive LIDs of one group.
struct Run {
  std::uint32_t first = 0;
  std::uint32_t upto = 0;
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
    runs.resize(shape.groups());
    for (std::uint32_t lid = 0; lid < owner.size(); ++lid) {
      if (owner[lid] == kNoOwner) continue;
      std::vector<Run>& of = runs[shape.group[owner[lid]]];
      if (of.empty() || of.back().upto != lid) of.push_back({lid, lid});
      ++of.back().upto;
    }
    for (const auto& routers : shape.routers)
      std::ranges::copy_if(routers, std::back_inserter(order),
                           [this](std::uint32_t r) { return r < shape.live; });
    propose(0);
  }

  void propose(std::uint32_t which) {
    variant = which;
    via = group_detours(
        shape.groups(), [this](std::uint32_t from, std::uint32_t to) { return linked(from, to); },
        variant < kSafest    ? Detour::any
        : variant == kSafest ? Detour::safest
                             : Detour::only_one,
        variant);
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
  std::vector<std::vector<Run>> runs;            // by group
  std::vector<std::uint32_t> order;              // live routers, group by group
  GroupDetours via;
  std::uint32_t variant = 0;                 // which of the detours there are is proposed
  mutable std::atomic<bool> detours{false};  // whether any was needed
};

/// Fills rows; one for each thread.
class DragonflyRows {
 public:
  explicit DragonflyRows(const Plan& plan)
      : p_(plan),
        shape_(plan.shape),
        row_(row_size(plan.problem.top)),
        singles_(shape_.groups()),
        ways_(shape_.groups()),
        local_(shape_.group.size()) {}

  /// Good until the next call.
  const std::uint8_t* fill(std::uint32_t s) {
    s_ = s;
    if (shape_.group[s] != group_) enter(shape_.group[s]);
    list_local();
    for (std::uint32_t to = 0; to < shape_.groups(); ++to) {
      if (to == group_) continue;
      if (const std::uint8_t port = by_single(singles_[to]); port != kNoWay) {
        if (ways_[to].size() == 1 && ways_[to].front() == port) continue;
        next_.assign(1, port);
      } else {
        find_ways(to, next_);
        if (next_ == ways_[to]) continue;
      }
      ways_[to].swap(next_);
      write(to);
    }
    for (const std::uint32_t to : shape_.routers[group_]) fill_group(to, row_.data());
    for (const std::uint32_t to : shape_.routers[group_]) clear(to);
    return row_.data();
  }

 private:
  using Ports = std::vector<std::uint8_t>;
  /// The one link to a group.
  struct Single {
    std::uint32_t router = kNoOwner;
    std::uint8_t port = 0;
  };

  void enter(std::uint32_t group) {
    group_ = group;
    std::ranges::fill(row_, kNoWay);
    for (Ports& ways : ways_) ways.clear();
    for (std::uint32_t to = 0; to < shape_.groups(); ++to) {
      const std::vector<Exit>& exits = shape_.between(group_, to);
      singles_[to] = exits.size() == 1 && exits.front().live
                         ? Single{exits.front().router, exits.front().port}
                         : Single{};
    }
  }

  std::uint8_t by_single(const Single& single) const {
    if (single.router == kNoOwner) return kNoWay;
    return single.router == s_ ? single.port : to_router(single.router, 0);
  }

  void write(std::uint32_t to) {
    const Ports& ways = ways_[to];
    for (const Run& run : p_.runs[to]) {
      if (ways.size() <= 1)
        std::fill(row_.begin() + run.first, row_.begin() + run.upto, ways.empty() ? kNoWay : ways.front());
      else
        for (std::uint32_t lid = run.first; lid < run.upto; ++lid)
          row_[lid] = ways[p_.number[lid] % ways.size()];
    }
  }

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

  /// Ports by the number of the destination modulo their count.
  void find_ways(std::uint32_t to, Ports& ways) {
    ways.clear();
    const std::vector<std::uint32_t>& via = p_.via.by(group_, to);
    if (via.empty() && deal(shape_.between(group_, to), ways)) return;
    p_.detours = true;
    if (!via.empty()) {
      around_.clear();
      for (const std::uint32_t x : via)
        std::ranges::copy(shape_.between(group_, x), std::back_inserter(around_));
      if (deal(around_, ways)) return;
    }
    const std::uint32_t target = via.empty() ? to : via.front();
    const bool inside_first = p_.variant % 2 == 0 && p_.variant != kSafest;
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
    if (p_.variant > kSafest) keep_one(ways);
    return !ways.empty();
  }

  /// By one other router of the group.
  bool detour_inside(std::uint32_t target, Ports& ways) const {
    for (const DesignGraph::End& e : p_.graph.ends_of(s_))
      if (e.live && shape_.group[e.to] == group_ && leads(e.to, target)) ways.push_back(e.port);
    if (p_.variant >= kSafest) keep_one(ways);
    return !ways.empty();
  }

  /// The fewer ways, the fewer cycles.
  void keep_one(Ports& ways) const {
    if (ways.size() > 1) ways = {ways[(p_.variant / 2 + (p_.variant < kSafest + 2 ? 0 : s_)) % ways.size()]};
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
  bool deal(const std::vector<Exit>& exits, Ports& ways) {
    for (const Exit& e : exits)
      if (e.router == s_ && e.live) ways.push_back(e.port);
    if (!ways.empty()) return true;
    usable_.clear();
    for (std::size_t i = 0; i < exits.size(); ++i) {
      const Exit& e = exits[i];
      ways.push_back(e.live && e.router != s_ ? to_router(e.router, static_cast<std::uint32_t>(i)) : kNoWay);
      if (ways.back() != kNoWay) usable_.push_back(ways.back());
    }
    std::size_t next = 0;
    for (std::uint8_t& port : ways)
      if (port == kNoWay && !usable_.empty()) port = usable_[next++ % usable_.size()];
    if (usable_.empty()) ways.clear();
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
    if (other.empty()) return kNoWay;
    return other[(p_.variant < kSafest ? turn : p_.variant + s_) % other.size()];
  }

  const Plan& p_;
  const DragonflyShape& shape_;
  std::uint32_t s_ = 0;
  std::uint32_t group_ = kNoOwner;
  std::vector<std::uint8_t> row_;  // of the router filled last
  std::vector<Single> singles_;    // by group; where the group at hand has one live link there, and no other
  std::vector<Ports> ways_;        // by group: what row_ holds
  std::vector<Ports> local_;       // by router
  Ports next_;
  Ports usable_;
  std::vector<Exit> around_;
};

Routes tables_of(const Plan& plan) {
  const Problem& problem = plan.problem;
  Tables tables(problem);
  in_pieces(plan.shape.live, problem.threads, [&](std::uint32_t from, std::uint32_t upto) {
    DragonflyRows worker(plan);
    for (std::uint32_t i = from; i < upto; ++i) tables.set(plan.order[i], worker.fill(plan.order[i]));
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
  if (!plan.detours || check(problem, first).safe()) return first;
  for (std::uint32_t variant = 1; variant < kVariants; ++variant) {
    plan.propose(variant);
    if (Routes other = tables_of(plan); check(problem, other).safe()) return other;
  }
  return first;
}

}  // namespace weft::routing
