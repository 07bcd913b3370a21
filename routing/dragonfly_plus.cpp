// dragonfly+: minimal routes, up - global - down, on one SL. Between hosts one VL is enough: up < global <
// down never turns back. The second VL is for what must: packets to a spine's own LID and from it, and
// detours.
//
// The VL of a hop follows from the ports a packet comes and goes by (lanes.h): up from a host and global
// links to a higher group on VL 0; down after a global link, up again at a leaf, and global links to a lower
// group on VL 1. A spine without a link to the destination's group sends to the group's *out leaf*, which
// sends up to one that has; packets to a spine's own LID from outside turn at its group's *in leaf*. The two
// differ, so that what turns up at the in leaf ends there, and nothing waits for the way to the out leaf but
// what spines themselves send. Where two groups have lost all links between them, the sending group goes by
// way of others, as in a dragonfly: those above both, else those between, going down all the way, else any.
//
// Every leaf of a group takes the same exit for one destination: link (number of the destination) modulo the
// links of the design. Only flows whose link, or whose leaf's link to that spine, is a hole move, to one that
// leads there. Where flows must go round holes, it is proposed how in several variants, until the check finds
// no fault with one; where none will do, ways for these flows are sought one by one (dragonfly_displaced.h).
// Rows of a group have much in common and are made together. Cost: O(switches * LIDs) bytes copied. Source:
// Shpiner et al., HiPINEB 2017; lanes and detours as in reference "Routing", 2.5 and 7.5.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "routing/check.h"
#include "routing/dragonfly_displaced.h"
#include "routing/dragonfly_plus_common.h"
#include "routing/engines.h"
#include "routing/group_lanes.h"
#include "routing/multicast_basis.h"
#include "routing/parallel.h"

namespace weft::routing {
namespace {

constexpr std::uint32_t kNoExit = ~0U;
constexpr std::uint32_t kPlusVariants = 8;
constexpr std::uint32_t kAlone = PlusCommon::kNoLeaf;

/// Fills the rows of one group after another; one for each thread.
class PlusRows {
 public:
  explicit PlusRows(const PlusCommon& common)
      : c_(common),
        shape_(common.shape),
        exit_(c_.number.size()),
        way_(c_.number.size()),
        row_(c_.number.size()) {}

  void fill(std::uint32_t g, Tables& tables) {
    g_ = g;
    spines_ = c_.spine_count(g);
    spread_ = std::clamp(254 / spines_, 1U, c_.parallel);
    find_out_leaf();
    list_detours();
    std::ranges::fill(way_, kNoWay);
    for (std::uint32_t to = 0; to < shape_.groups(); ++to)
      if (to != g) find_exits(to);
    last_row_.clear();
    for (const std::uint32_t s : shape_.leaves[g])
      if (s < shape_.live) fill_leaf(s, tables);
    for (const std::uint32_t s : shape_.spines[g])
      if (s < shape_.live) fill_spine(s, tables);
  }

 private:
  using Exits = std::vector<PlusShape::Exit>;

  const Exits& exits_to(std::uint32_t to) const { return direct(to) ? shape_.between(g_, to) : around_[to]; }
  bool direct(std::uint32_t to) const { return c_.via.by(g_, to).empty(); }
  /// By way of other groups.
  void list_detours() {
    around_.resize(shape_.groups());
    for (std::uint32_t to = 0; to < shape_.groups(); ++to) {
      around_[to].clear();
      if (c_.strict) continue;
      for (const std::uint32_t x : c_.via.by(g_, to))
        std::ranges::copy(shape_.between(g_, x), std::back_inserter(around_[to]));
    }
  }
  /// Whether an exit leads to a LID: the far spine has a link to its leaf, or sees to the rest of a detour.
  bool leads(const PlusShape::Exit& e, std::uint32_t to, std::uint32_t lid) const {
    return e.live && (!direct(to) || c_.joined(to, e.far, c_.behind[lid]));
  }

  /// The last live leaf; another than the in leaf where the group has two.
  void find_out_leaf() {
    const std::uint32_t leaves = c_.leaf_count(g_);
    for (std::uint32_t i = 0; i < leaves; ++i) {
      out_leaf_ = (2 * leaves - 1 - i - c_.variant / 2 % leaves) % leaves;
      if (shape_.leaves[g_][out_leaf_] < shape_.live) break;
    }
  }

  /// exit_: by LID, the exit that all leaves take; way_: the spine it is at, and which of parallel links
  /// there.
  void find_exits(std::uint32_t to) {
    const Exits& exits = exits_to(to);
    if (exits.empty()) return;
    const auto count = static_cast<std::uint32_t>(exits.size());
    const bool easy = std::ranges::all_of(exits, &PlusShape::Exit::live) && (c_.whole[to] || !direct(to));
    for (const PlusRun& run : c_.runs[to]) {
      for (std::uint32_t lid = run.first; lid < run.upto; ++lid) {
        const std::uint32_t turn = c_.number[lid];
        std::uint32_t e = turn % count;
        if (!easy && !leads(exits[e], to, lid)) e = another(exits, to, lid, turn);
        if (e == kNoExit) continue;
        exit_[lid] = static_cast<std::uint16_t>(e);
        way_[lid] = static_cast<std::uint8_t>(exits[e].spine +
                                              (spread_ == 1 ? 0 : spines_ * (turn / count % spread_)));
      }
    }
  }
  std::uint32_t another(const Exits& exits, std::uint32_t to, std::uint32_t lid, std::uint32_t turn) {
    usable_.clear();
    for (std::uint32_t i = 0; i < exits.size(); ++i)
      if (leads(exits[i], to, lid)) usable_.push_back(i);
    if (!usable_.empty()) return usable_[turn % usable_.size()];
    for (std::uint32_t i = 0; i < exits.size() && !c_.strict; ++i)
      if (exits[i].live) usable_.push_back(i);  // the group there goes round its own holes
    return usable_.empty() ? kNoExit : usable_[round(turn)];
  }

  /// Of what is usable only where nothing better is: by turns at first, else the same for all.
  std::size_t round(std::uint32_t turn) const {
    c_.goes_round = true;
    return (c_.variant <= 1 ? turn : c_.variant) % usable_.size();
  }
  std::uint8_t no_way() const {
    c_.goes_round = true;
    return kNoWay;
  }

  static std::uint8_t pick(std::span<const std::uint8_t> ports, std::uint32_t turn) {
    return ports.empty() ? kNoWay : ports[turn % ports.size()];
  }

  void fill_leaf(std::uint32_t s, Tables& tables) {
    std::array<std::uint8_t, 256> port;
    port.fill(kNoWay);
    bool holes = false;
    for (std::uint32_t i = 0; i < spines_; ++i) {
      const std::span<const std::uint8_t> ports = c_.links(s, i);
      for (std::uint32_t j = 0; j < spread_; ++j) port[i + spines_ * j] = pick(ports, j);
      holes |= ports.empty();
    }
    if (last_row_.empty() || port != last_port_) {
      last_port_ = port;
      last_row_.resize(row_.size());
      for (std::size_t lid = 0; lid < row_.size(); ++lid) last_row_[lid] = port[way_[lid]];
    }
    row_ = last_row_;
    for (std::uint32_t to = 0; to < shape_.groups(); ++to) {
      if (to == g_) continue;
      for (const PlusRun& run : holes ? c_.runs[to] : kNoRuns)
        for (std::uint32_t lid = run.first; lid < run.upto; ++lid)
          if (row_[lid] == kNoWay) row_[lid] = leaf_detour(s, to, lid);
    }
    for (const std::uint32_t d : shape_.leaves[g_]) {
      if (d >= shape_.live) continue;
      for (const std::uint16_t lid : c_.lids[d]) row_[lid] = d == s ? c_.port[lid] : leaf_to_leaf(s, lid);
    }
    for (const std::uint32_t d : shape_.spines[g_]) {
      if (d >= shape_.live) continue;
      const std::span<const std::uint8_t> ports = c_.links(s, shape_.place[d].index);
      for (const std::uint16_t lid : c_.lids[d])
        row_[lid] = ports.empty() ? leaf_to_leaf(s, lid) : pick(ports, c_.number[lid]);
    }
    tables.set(s, row_.data());
  }

  /// The leaf has no link to the spine that the others take: another exit, or any spine that goes on from
  /// there.
  std::uint8_t leaf_detour(std::uint32_t s, std::uint32_t to, std::uint32_t lid) {
    const std::uint32_t turn = c_.number[lid];
    usable_.clear();
    for (const PlusShape::Exit& e : exits_to(to))
      if (leads(e, to, lid) && !c_.links(s, e.spine).empty()) usable_.push_back(e.spine);
    if (!usable_.empty()) return pick(c_.links(s, usable_[turn % usable_.size()]), turn / spines_);
    if (c_.strict) return kNoWay;
    for (const PlusShape::Exit& e : exits_to(to))
      if (e.live && !c_.links(s, e.spine).empty()) usable_.push_back(e.spine);
    if (usable_.empty() && !exits_to(to).empty())
      for (std::uint32_t i = 0; i < spines_; ++i)
        if (!c_.links(s, i).empty()) usable_.push_back(i);
    return usable_.empty() ? no_way() : pick(c_.links(s, usable_[round(turn)]), turn / spines_);
  }

  /// Up to a spine that has a link to the leaf, else to any, which turns elsewhere.
  std::uint8_t leaf_to_leaf(std::uint32_t s, std::uint32_t lid) {
    const std::uint32_t turn = c_.number[lid];
    if (c_.behind[lid] >= kAlone) return no_way();
    const std::uint32_t own = turn % spines_;
    const std::span<const std::uint8_t> ports = c_.links(s, own);
    if (!ports.empty() && c_.joined(g_, own, c_.behind[lid])) return pick(ports, turn / spines_);
    usable_.clear();
    for (std::uint32_t i = 0; i < spines_; ++i)
      if (!c_.links(s, i).empty() && c_.joined(g_, i, c_.behind[lid])) usable_.push_back(i);
    if (!usable_.empty()) return pick(c_.links(s, usable_[turn % usable_.size()]), turn / spines_);
    for (std::uint32_t i = 0; i < spines_ && !c_.strict; ++i)
      if (!c_.links(s, i).empty()) usable_.push_back(i);
    return usable_.empty() ? no_way() : pick(c_.links(s, usable_[round(turn)]), turn / spines_);
  }

  void fill_spine(std::uint32_t s, Tables& tables) {
    std::ranges::fill(row_, kNoWay);
    const std::uint32_t own = shape_.place[s].index;
    for (std::uint32_t to = 0; to < shape_.groups(); ++to) {
      if (to == g_) continue;
      const Exits& exits = exits_to(to);
      mine_.clear();
      bool plain = true;  // any of the spine's own links will do for any LID
      for (const PlusShape::Exit& e : exits) {
        if (e.spine != own || !e.live) continue;
        mine_.push_back(&e);
        plain &= !direct(to) || c_.whole[to];
      }
      const std::uint8_t only = mine_.empty() ? towards_exit(s, to) : mine_.front()->port;
      const bool one = mine_.size() <= 1 && plain;
      for (const PlusRun& run : c_.runs[to]) {
        if (one)
          std::memset(row_.data() + run.first, only, run.upto - run.first);
        else
          for (std::uint32_t lid = run.first; lid < run.upto; ++lid) row_[lid] = out(s, exits, to, lid);
      }
    }
    for (const std::uint32_t d : shape_.leaves[g_]) {
      if (d >= shape_.live) continue;
      const std::span<const std::uint8_t> ports = c_.links(s, shape_.place[d].index);
      for (const std::uint16_t lid : c_.lids[d])
        row_[lid] =
            ports.empty() ? turn_below(s, shape_.place[d].index) : pick(ports, c_.number[lid] / spines_);
    }
    for (const std::uint32_t d : shape_.spines[g_]) {
      if (d >= shape_.live) continue;
      for (const std::uint16_t lid : c_.lids[d])
        row_[lid] = d == s ? c_.port[lid] : spine_to_spine(s, c_.behind[lid], shape_.place[d].index);
    }
    tables.set(s, row_.data());
  }

  /// The link that the leaves mean, if it is here; else one of the spine's own that leads there; else by a
  /// leaf.
  std::uint8_t out(std::uint32_t s, const Exits& exits, std::uint32_t to, std::uint32_t lid) {
    const std::uint32_t own = shape_.place[s].index;
    if (way_[lid] != kNoWay) {
      const PlusShape::Exit& e = exits[exit_[lid]];
      if (e.spine == own && e.live) return e.port;
    }
    usable_.clear();
    for (const PlusShape::Exit* e : mine_)
      if (leads(*e, to, lid)) usable_.push_back(e->port);
    for (std::size_t i = 0; usable_.empty() && i < mine_.size() && !c_.strict; ++i)
      usable_.push_back(mine_[i]->port);
    return usable_.empty() ? towards_exit(s, to)
                           : static_cast<std::uint8_t>(usable_[c_.number[lid] % usable_.size()]);
  }

  /// Down to the out leaf, else to one above it in order, that has a link to a spine with an exit.
  std::uint8_t towards_exit(std::uint32_t s, std::uint32_t to) const {
    const std::uint32_t leaves = c_.leaf_count(g_);
    for (std::uint32_t i = 0; i < (c_.strict ? 1 : leaves); ++i) {
      const std::uint32_t l = (out_leaf_ + leaves - i) % leaves;
      const std::uint32_t leaf = shape_.leaves[g_][l];
      const std::span<const std::uint8_t> ports = c_.links(s, l);
      if (leaf >= shape_.live || ports.empty()) continue;
      for (const PlusShape::Exit& e : exits_to(to))
        if (e.live && !c_.links(leaf, e.spine).empty()) return ports.front();
    }
    return no_way();
  }

  /// No link down to the leaf: by another leaf that has a spine in common with it.
  std::uint8_t turn_below(std::uint32_t s, std::uint32_t leaf) const {
    if (c_.strict) return kNoWay;
    const std::uint32_t target = shape_.leaves[g_][leaf];
    for (std::uint32_t i = 0; i < c_.leaf_count(g_); ++i) {
      const std::uint32_t l = (i + c_.variant / 2) % c_.leaf_count(g_);
      const std::uint32_t by = shape_.leaves[g_][l];
      const std::span<const std::uint8_t> ports = c_.links(s, l);
      if (by >= shape_.live || ports.empty()) continue;
      for (std::uint32_t spine = 0; spine < spines_; ++spine)
        if (!c_.links(by, spine).empty() && !c_.links(target, spine).empty()) return ports.front();
    }
    return no_way();
  }

  std::uint8_t spine_to_spine(std::uint32_t s, std::uint32_t leaf, std::uint32_t spine) const {
    if (leaf >= kAlone) return no_way();
    const std::span<const std::uint8_t> ports = c_.links(s, leaf);
    if (!ports.empty() && c_.joined(g_, spine, leaf)) return ports.front();
    for (std::uint32_t l = 0; l < c_.leaf_count(g_) && !c_.strict; ++l) {
      const std::span<const std::uint8_t> other = c_.links(s, l);
      if (shape_.leaves[g_][l] < shape_.live && !other.empty() && c_.joined(g_, spine, l))
        return other.front();
    }
    return turn_below(s, leaf);
  }

  inline static const std::vector<PlusRun> kNoRuns;

  const PlusCommon& c_;
  const PlusShape& shape_;
  std::uint32_t g_ = 0;
  std::uint32_t spines_ = 1;
  std::uint32_t spread_ = 1;  // parallel links from a leaf to a spine that flows are dealt over
  std::uint32_t out_leaf_ = 0;
  std::vector<Exits> around_;  // by group
  std::vector<std::uint16_t> exit_;
  std::vector<std::uint8_t> way_;
  std::vector<std::uint8_t> row_;
  std::vector<std::uint8_t> last_row_;
  std::array<std::uint8_t, 256> last_port_{};
  std::vector<std::uint32_t> usable_;
  std::vector<const PlusShape::Exit*> mine_;
};

Routes plus_tables(const PlusCommon& common) {
  Tables tables(common.problem);
  in_pieces(common.shape.groups(), common.problem.threads, [&](std::uint32_t from, std::uint32_t upto) {
    PlusRows worker(common);
    for (std::uint32_t g = from; g < upto; ++g) worker.fill(g, tables);
  });
  Routes routes = std::move(tables).finish("dragonfly+");
  routes.vls_needed = 2;
  routes.lanes = std::make_shared<const Lanes>(group_lanes(
      common.problem, common.graph, [&common](std::uint32_t s) { return common.shape.place[s].group; }));
  routes.notes.push_back(describe(common.shape));
  if (std::string note = describe(common.via); !note.empty()) routes.notes.push_back(std::move(note));
  return routes;
}

/// Of tables proposed one after another the first that are safe, unless later ones have room for multicast
/// trees beside them, too.
class Proposals {
 public:
  explicit Proposals(const Problem& problem) : problem_(problem) {}

  /// Whether nothing better can come.
  bool add(Routes routes) {
    const CheckReport report = check(problem_, routes);
    if (!report.safe()) return false;
    const bool roomy = MulticastBasis(problem_, routes, report.waits).why().empty();
    if (roomy || !best_) best_ = std::move(routes);
    return roomy;
  }
  bool any() const { return best_.has_value(); }
  std::optional<Routes> best() && { return std::move(best_); }

 private:
  const Problem& problem_;
  std::optional<Routes> best_;
};

/// Tables in which what need not go round holes goes as given, and for all else a way is sought one by one.
Routes displaced(const PlusCommon& common, const LidOwners& owners, const GroupCables& cables) {
  Routes routes = plus_tables(common);
  TableWays given(routes, owners, cables, *routes.lanes);
  const auto entries = displaced_entries(common.problem, owners, cables, given, *routes.lanes);
  for (std::size_t s = 0; s < entries.size(); ++s)
    if (!entries[s].empty()) routes.lfts[s] = std::make_shared<const Lft>(routes.lfts[s]->with(entries[s]));
  return routes;
}

/// Proposals in several variants. Large fabrics take the first that is safe.
std::optional<Routes> round_holes(const Problem& problem, const DesignGraph& graph, const PlusShape& shape,
                                  Routes first) {
  constexpr std::size_t kEnoughProposed = 20'000'000;
  const std::size_t work = graph.live * row_size(problem.top);  // of one proposal
  Proposals proposals(problem);
  if (proposals.add(std::move(first))) return std::move(proposals).best();
  std::size_t done = work;
  for (std::uint32_t variant = 1; variant < kPlusVariants; ++variant, done += work) {
    if (proposals.any() && done > kEnoughProposed) break;
    if (proposals.add(plus_tables(PlusCommon(problem, graph, shape, variant))))
      return std::move(proposals).best();
  }
  const GroupCables cables(graph);
  const LidOwners owners(problem);
  for (std::uint32_t variant = 0; variant < kPlusVariants; ++variant, done += work) {
    if (done > kEnoughProposed && (variant != 0 || proposals.any())) break;
    if (proposals.add(displaced(PlusCommon(problem, graph, shape, variant, true), owners, cables))) break;
  }
  return std::move(proposals).best();
}

}  // namespace

Result<Routes> dragonfly_plus(const Problem& problem) {
  const DesignGraph graph(problem);
  const Result<PlusShape> shape = dragonfly_plus_shape(problem, graph);
  if (!shape && problem.design) return without_design(problem, dragonfly_plus);
  if (!shape) return fail(shape.error());
  const PlusCommon common(problem, graph, *shape, 0);
  Routes first = plus_tables(common);
  if (!common.goes_round && common.via.count == 0) return first;
  std::optional<Routes> found = round_holes(problem, graph, *shape, first);
  return found ? std::move(*found) : std::move(first);
}

}  // namespace weft::routing
