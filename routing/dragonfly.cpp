// dragonfly: minimal routes, local - global - local, on one SL and two VLs. The VL of a hop follows from the
// ports a packet comes and goes by (lanes.h): global links to a higher group on VL 0, to a lower one on VL 1;
// local links on VL 0 for what hosts send, on VL 1 after a global hop. So no SL is needed to be safe, and
// none changes in a fault.
//
// A router with links of its own to the destination's group uses those; else it deals the group's links by
// the number of the destination, and only flows whose way is dead move (dragonfly_displaced.h): by a third
// group, by another router of the group, or by a link that is left, wherever there is most room.
//
// Routers of one group are filled one after another: mostly a row is that of the router before but for the
// groups that one of the two has a link to. Cost: O(switches * LIDs) bytes copied. Source: Kim, Dally, Scott,
// Abts, ISCA 2008; lanes and detours as in reference "Routing", 2.4 and 7.5.

#include <algorithm>

#include "routing/dragonfly_displaced.h"
#include "routing/dragonfly_minimal.h"
#include "routing/engines.h"
#include "routing/group_lanes.h"
#include "routing/parallel.h"

namespace weft::routing {
namespace {

constexpr std::uint32_t kNoOwner = DragonflyCommon::kNoOwner;

using Exit = DragonflyShape::Exit;

/// Fills rows; one for each thread.
class DragonflyRows {
 public:
  explicit DragonflyRows(const DragonflyCommon& common)
      : p_(common),
        shape_(common.shape),
        row_(row_size(common.problem.top)),
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
        deal(shape_.between(group_, to), next_);
        if (next_ == ways_[to]) continue;
      }
      ways_[to].swap(next_);
      write(to);
    }
    for (const std::uint32_t to : shape_.routers[group_]) fill_group(to, row_.data());
    for (const std::uint32_t to : shape_.routers[group_]) clear(to);
    return row_.data();
  }

  using Ports = std::vector<std::uint8_t>;
  /// By group: of the router filled last.
  const std::vector<Ports>& ways() const { return ways_; }

 private:
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
    for (const DragonflyRun& run : p_.runs[to]) {
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

  /// Ports by the number of the destination modulo their count: own links if there are any, else those of
  /// routers one hop away, kNoWay in place of dead ones.
  void deal(const std::vector<Exit>& exits, Ports& ways) {
    ways.clear();
    for (const Exit& e : exits)
      if (e.router == s_ && e.live) ways.push_back(e.port);
    if (!ways.empty()) return;
    for (std::size_t i = 0; i < exits.size(); ++i) {
      const Exit& e = exits[i];
      ways.push_back(e.live && e.router != s_ ? to_router(e.router, static_cast<std::uint32_t>(i)) : kNoWay);
      if (ways.back() == kNoWay) p_.holes = true;
    }
    if (ways.empty()) p_.holes = true;
  }

  void fill_group(std::uint32_t to, std::uint8_t* row) const {
    if (to >= shape_.live) return;
    for (const std::uint16_t lid : p_.lids[to]) {
      if (to == s_)
        row[lid] = p_.port[lid];
      else
        row[lid] = to_router(to, p_.number[lid]);
    }
    if (to != s_ && local_[to].empty()) p_.holes = true;
  }

  const DragonflyCommon& p_;
  const DragonflyShape& shape_;
  std::uint32_t s_ = 0;
  std::uint32_t group_ = kNoOwner;
  std::vector<std::uint8_t> row_;  // of the router filled last
  std::vector<Single> singles_;    // by group; where the group at hand has one live link there, and no other
  std::vector<Ports> ways_;        // by group: what row_ holds
  std::vector<Ports> local_;       // by router
  Ports next_;
};

Routes tables_of(const DragonflyCommon& common) {
  const Problem& problem = common.problem;
  const Lanes lanes =
      group_lanes(problem, common.graph, [&common](std::uint32_t s) { return common.shape.group[s]; });
  Tables tables(problem);
  DragonflyWays ways;
  const auto fill = [&](const auto& use) {
    in_pieces(common.shape.live, problem.threads, [&](std::uint32_t from, std::uint32_t upto) {
      DragonflyRows worker(common);
      for (std::uint32_t i = from; i < upto; ++i) use(worker, common.order[i]);
    });
  };
  fill([&tables](DragonflyRows& rows, std::uint32_t s) { tables.set(s, rows.fill(s)); });
  if (common.holes) {
    ways.resize(std::size_t{common.shape.live} * common.shape.groups());
    fill([&](DragonflyRows& rows, std::uint32_t s) {
      rows.fill(s);
      std::ranges::copy(rows.ways(),
                        ways.begin() + static_cast<std::ptrdiff_t>(std::size_t{s} * common.shape.groups()));
    });
    const GroupCables cables(common.graph);
    DragonflyMinimal minimal(common, cables, ways, lanes);
    const auto entries = displaced_entries(problem, LidOwners(problem), cables, minimal, lanes);
    fill([&](DragonflyRows& rows, std::uint32_t s) {
      const std::uint8_t* row = rows.fill(s);
      std::vector<std::uint8_t> whole(row, row + row_size(problem.top));
      if (!entries.empty())
        for (const Lft::Entry& e : entries[s]) whole[e.lid] = e.port;
      tables.set(s, whole.data());
    });
  }
  Routes routes = std::move(tables).finish("dragonfly");
  routes.vls_needed = 2;
  routes.lanes = std::make_shared<const Lanes>(lanes);
  routes.notes.push_back(describe(common.shape));
  return routes;
}

}  // namespace

Result<Routes> dragonfly(const Problem& problem) {
  const DesignGraph graph(problem);
  const Result<DragonflyShape> shape = dragonfly_shape(problem, graph);
  if (!shape && problem.design) return without_design(problem, dragonfly);
  if (!shape) return fail(shape.error());
  return tables_of(DragonflyCommon(problem, graph, *shape));
}

}  // namespace weft::routing
