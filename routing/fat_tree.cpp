// fat-tree: D-mod-K with holes. Every host t has, at every switch, one canonical way up: slot (t / divider)
// modulo the slots of the design. Where that slot still leads to t it is taken; else the flow is displaced to
// one of the slots that do, evenly with the others that are, and no other flow moves. Where that would crowd
// the few links that a switch has left, flows whose way is dead farther on are displaced as well
// (tree_relief.h). The tables are a function of the design and the live links alone: no history, any number
// of threads, and a repaired link brings the old tables back.
//
// A way is up*/down* by rank, so one VL is enough. A switch or leaf that no such way leads to (spine to
// spine, a spine from a leaf that its plane has lost) is reached along one order of all switches
// (tree_turns.h), which ways by rank follow, too; mostly only managers' traffic does so.
//
// Per switch, not per LID: whole sets of destination switches are told apart with bit sets (one slot leads
// there, all do, or some), the canonical row is copied from the last switch that dealt alike, and only what
// differs is written over it. Cost: O(switches * LIDs) bytes copied, O(links * switches / 64) a rank for the
// sets. Source: Zahavi, D-Mod-K; Gliksberg et al., Dmodc (arXiv 2211.13101); holes as in reference
// "Routing", 7.3.

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <memory>

#include "routing/engines.h"
#include "routing/parallel.h"
#include "routing/tree_basis.h"

namespace weft::routing {
namespace {

constexpr std::uint16_t kNobody = LidTable::kNobody;

template <typename Use>
void each_bit(std::uint64_t bits, std::uint32_t word, Use&& use) {
  for (; bits != 0; bits &= bits - 1) use(word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)));
}

/// What all switches share.
struct TreeCommon {
  const Problem& problem;
  const TreeShape& shape;
  const TreeReach& reach;
  const LidTable& table;
  const TreeDealings& dealings;
  const TreeTurns& turns;
  const TreeRelief& relief;
};

/// Fills rows; one for each thread.
class TreeRows {
 public:
  explicit TreeRows(const TreeCommon& common)
      : c_(common),
        shape_(common.shape),
        table_(common.table),
        left_(c_.reach.words()),
        once_(left_.size()),
        twice_(left_.size()),
        all_(left_.size()),
        by_owner_(shape_.live + 1) {}

  void fill(std::uint32_t s, std::uint8_t* row) {
    s_ = s;
    row_ = row;
    up_ = &shape_.up[s];
    std::ranges::fill(left_, ~std::uint64_t{0});
    if (shape_.live % 64 != 0) left_.back() >>= 64 - shape_.live % 64;
    left_[s / 64] &= ~(std::uint64_t{1} << s % 64);
    start_row();
    go_down();
    find_live_slots();
    for (std::uint32_t k = 1; k < c_.reach.levels() && !live_slots_.empty(); ++k)
      if (std::ranges::any_of(left_, [](std::uint64_t w) { return w != 0; })) go_up(k);
    go_by_turns();
    relieve();
    deliver();
  }

  /// The entries of the given destinations alone, as fill would write them.
  void refill(std::uint32_t s, const std::vector<std::uint64_t>& destinations, std::uint8_t* row) {
    s_ = s;
    row_ = row;
    up_ = &shape_.up[s];
    std::ranges::fill(left_, 0);
    find_live_slots();
    for (std::uint32_t w = 0; w < destinations.size(); ++w) {
      std::uint64_t reached = 0;
      for (std::uint32_t k = 0; k < c_.reach.levels(); ++k) reached |= c_.reach.row(k, s)[w];
      left_[w] = destinations[w] & ~reached;
      each_bit(destinations[w] & reached, w, [this](std::uint32_t t) {
        if (t != s_ && !refill_down(t)) refill_up(t);
      });
    }
    go_by_turns();
    relieve();
  }

 private:
  bool refill_down(std::uint32_t t) {
    children_.clear();
    for (const TreeShape::Down& d : shape_.downs(s_))
      if (has(c_.reach.row(0, d.child), t)) children_.push_back(&d);
    if (children_.empty()) return false;
    if (children_.size() > 1) {
      choose_child(t);
      return true;
    }
    for (const std::uint16_t lid : table_.of(t)) row_[lid] = port_down(*children_.front(), lid);
    return true;
  }
  void refill_up(std::uint32_t t) {
    for (std::uint32_t k = 1; k < c_.reach.levels(); ++k) {
      const bool leads = std::ranges::any_of(
          live_slots_, [&](std::uint32_t i) { return has(c_.reach.row(k - 1, parent(i)), t); });
      if (leads) return choose_slots(k, t);
    }
  }

  bool one_way_down(std::uint32_t child) const { return shape_.up[child].links == 1; }

  /// Canonical ways up for all LIDs; for a switch without ways up, ways down by what owns the LID.
  void start_row() {
    if (up_->slots == 0) {
      start_from_above();
      return;
    }
    const TreeDealing& dealing = c_.dealings.at(dealing_key(*up_));
    std::array<std::uint8_t, 256> port;
    port.fill(kNoWay);
    for (std::uint32_t i = 0; i < up_->slots; ++i)
      for (std::uint32_t j = 0; j < up_->spread; ++j) port[i + up_->slots * j] = shape_.port(s_, i, j);
    Last& last = last_[&dealing];
    if (last.row.empty() || last.port != port) {
      last.port = port;
      last.row.resize(table_.size);
      for (std::size_t lid = 0; lid < table_.size; ++lid) last.row[lid] = port[dealing.way[lid]];
    }
    std::memcpy(row_, last.row.data(), table_.size);
  }

  /// Only children that lead alone to a leaf and by one link; the rest is written over it.
  void start_from_above() {
    std::ranges::fill(by_owner_, kNoWay);
    count_children();
    for (const TreeShape::Down& d : shape_.downs(s_)) {
      const std::uint64_t* reached = c_.reach.row(0, d.child);
      const std::uint8_t port = first_live(d);
      for (std::uint32_t w = 0; w < left_.size(); ++w)
        each_bit(reached[w] & ~twice_[w], w,
                 [&](std::uint32_t t) { by_owner_[t] = table_.has_hosts[t] ? port : kNoWay; });
    }
    if (last_owner_.empty() || last_owner_ != by_owner_) {
      last_owner_ = by_owner_;
      last_from_above_.resize(table_.size);
      for (std::size_t lid = 0; lid < table_.size; ++lid)
        last_from_above_[lid] = by_owner_[std::min<std::size_t>(table_.host[lid], shape_.live)];
    }
    std::memcpy(row_, last_from_above_.data(), table_.size);
  }

  void count_children() {
    std::ranges::fill(once_, 0);
    std::ranges::fill(twice_, 0);
    for (const TreeShape::Down& d : shape_.downs(s_)) count(c_.reach.row(0, d.child));
  }

  void count(const std::uint64_t* reached) {
    for (std::size_t w = 0; w < left_.size(); ++w) {
      twice_[w] |= once_[w] & reached[w];
      once_[w] |= reached[w];
    }
  }

  std::uint8_t first_live(const TreeShape::Down& d) const {
    for (std::uint32_t j = 0;; ++j)
      if (const std::uint8_t port = shape_.port_down(d, j); port != TreeShape::kHole) return port;
  }

  void go_down() {
    const std::span<const TreeShape::Down> downs = shape_.downs(s_);
    if (downs.empty()) return;
    count_children();
    for (const TreeShape::Down& d : downs) {
      const std::uint64_t* reached = c_.reach.row(0, d.child);
      const bool plain = one_way_down(d.child);
      const std::uint8_t port = first_live(d);
      const bool done = up_->slots == 0 && plain;  // start_from_above wrote the hosts
      for (std::uint32_t w = 0; w < left_.size(); ++w) {
        each_bit(reached[w] & left_[w] & ~twice_[w], w, [&](std::uint32_t t) {
          if (done && table_.has_hosts[t])
            write_switch_lids(t, port);
          else if (plain)
            write(t, port);
          else
            for (const std::uint16_t lid : table_.of(t)) row_[lid] = port_down(d, lid);
        });
      }
    }
    for (std::uint32_t w = 0; w < left_.size(); ++w) {
      each_bit(twice_[w] & left_[w], w, [&](std::uint32_t t) { choose_child(t); });
      left_[w] &= ~once_[w];
    }
  }

  void write(std::uint32_t t, std::uint8_t port) {
    for (const std::uint16_t lid : table_.of(t)) row_[lid] = port;
  }
  void write_switch_lids(std::uint32_t t, std::uint8_t port) {
    for (const std::uint16_t lid : table_.of(t))
      if (table_.host[lid] == kNobody) row_[lid] = port;
  }

  /// The link a child deals this LID's flows to on the way up, else one that lives.
  std::uint8_t port_down(const TreeShape::Down& d, std::uint32_t lid) const {
    const TreeShape::Up& up = shape_.up[d.child];
    return link_of(up, lid, [&](std::uint32_t j) { return shape_.port_down(d, j); });
  }
  std::uint8_t port_up(std::uint32_t slot, std::uint32_t lid) const {
    return link_of(*up_, lid, [&](std::uint32_t j) { return shape_.port(s_, slot, j); });
  }

  template <typename Port>
  std::uint8_t link_of(const TreeShape::Up& up, std::uint32_t lid, const Port& port) const {
    const std::uint64_t turn = table_.turn(lid, up.divider);
    const std::uint8_t canonical = port(static_cast<std::uint32_t>(turn / up.slots % up.spread));
    if (canonical != TreeShape::kHole) return canonical;
    std::array<std::uint8_t, 256> live;
    std::size_t count = 0;
    for (std::uint32_t j = 0; j < up.links; ++j)
      if (port(j) != TreeShape::kHole) live[count++] = port(j);
    return count == 0 ? kNoWay : live[turn / (std::uint64_t{up.slots} * up.spread) % count];
  }

  /// Several children lead there: the one on the canonical way up from the destination, else by number.
  void choose_child(std::uint32_t t) {
    children_.clear();
    for (const TreeShape::Down& d : shape_.downs(s_))
      if (has(c_.reach.row(0, d.child), t)) children_.push_back(&d);
    for (const std::uint16_t lid : table_.of(t)) {
      std::uint32_t from = t;
      while (shape_.rank[from] + 1 < shape_.rank[s_]) {
        const TreeShape::Up& up = shape_.up[from];
        from = up.slots == 0 ? shape_.live : shape_.to[up.first_to + table_.turn(lid, up.divider) % up.slots];
        if (from >= shape_.live) break;
      }
      const auto own = std::ranges::find(children_, from, &TreeShape::Down::child);
      const std::uint64_t turn = table_.turn(lid, shape_.up[children_.front()->child].divider);
      row_[lid] = port_down(own != children_.end() ? **own : *children_[turn % children_.size()], lid);
    }
  }

  static bool has(const std::uint64_t* set, std::uint32_t t) { return (set[t / 64] >> t % 64 & 1) != 0; }

  void find_live_slots() {
    live_slots_.clear();
    for (std::uint32_t i = 0; i < up_->slots; ++i)
      if (shape_.to[up_->first_to + i] < shape_.live && shape_.alive(s_, i)) live_slots_.push_back(i);
  }
  std::uint32_t parent(std::uint32_t slot) const { return shape_.to[up_->first_to + slot]; }

  /// Destinations that need k links up: by the slots that lead there.
  void go_up(std::uint32_t k) {
    std::ranges::fill(once_, 0);
    std::ranges::fill(twice_, 0);
    all_ = left_;
    for (const std::uint32_t i : live_slots_) {
      const std::uint64_t* reached = c_.reach.row(k - 1, parent(i));
      count(reached);
      for (std::size_t w = 0; w < left_.size(); ++w) all_[w] &= reached[w];
    }
    const bool only_one = live_slots_.size() == 1;
    for (const std::uint32_t i : live_slots_) {
      const std::uint64_t* reached = c_.reach.row(k - 1, parent(i));
      const std::uint8_t port = up_->links == 1 ? shape_.port(s_, i, 0) : kNoWay;
      for (std::uint32_t w = 0; w < left_.size(); ++w) {
        const std::uint64_t alone = reached[w] & left_[w] & ~twice_[w] & ~(only_one ? all_[w] : 0);
        each_bit(alone, w, [&](std::uint32_t t) {
          if (port != kNoWay)
            write(t, port);
          else
            for (const std::uint16_t lid : table_.of(t)) row_[lid] = port_up(i, lid);
        });
      }
    }
    for (std::uint32_t w = 0; w < left_.size(); ++w) {
      const std::uint64_t some = left_[w] & twice_[w] & ~all_[w];
      each_bit(some, w, [&](std::uint32_t t) { choose_slots(k, t); });
    }
    displace();
    for (std::size_t w = 0; w < left_.size(); ++w) left_[w] &= ~once_[w];
  }

  /// Some slots lead there: flows whose canonical slot does stay.
  void choose_slots(std::uint32_t k, std::uint32_t t) {
    slots_.clear();
    for (const std::uint32_t i : live_slots_)
      if (has(c_.reach.row(k - 1, parent(i)), t)) slots_.push_back(i);
    for (const std::uint16_t lid : table_.of(t)) {
      const std::uint64_t turn = table_.turn(lid, up_->divider);
      const auto own = static_cast<std::uint32_t>(turn % up_->slots);
      row_[lid] = port_up(std::ranges::binary_search(slots_, own) ? own : displaced(turn, slots_), lid);
    }
  }

  /// The slot of a flow whose own is none of `slots`: such flows are counted, and dealt in turn, each round
  /// from another slot on, so that patterns which hit every so many of them do not meet on one.
  std::uint32_t displaced(std::uint64_t turn, const std::vector<std::uint32_t>& slots) const {
    const auto own = static_cast<std::uint32_t>(turn % up_->slots);
    const auto below = static_cast<std::uint64_t>(std::ranges::lower_bound(slots, own) - slots.begin());
    const std::uint64_t place = turn / up_->slots * (up_->slots - slots.size()) + own - below;
    const std::uint64_t round = place / slots.size() * 0x9e3779b97f4a7c15 >> 32;
    return slots[(place + round) % slots.size()];
  }

  /// Where every live slot leads: flows whose canonical port is a hole go to another link or slot.
  void displace() {
    const TreeDealing& dealing = c_.dealings.at(dealing_key(*up_));
    for (std::uint32_t way = 0; way < dealing.lids.size(); ++way) {
      const std::uint32_t slot = way % up_->slots;
      if (shape_.port(s_, slot, way / up_->slots) != TreeShape::kHole) continue;
      const bool alive = std::ranges::binary_search(live_slots_, slot);
      for (const std::uint16_t lid : dealing.lids[way]) {
        if (!has(all_.data(), table_.owner[lid])) continue;
        const std::uint64_t turn = table_.turn(lid, up_->divider);
        row_[lid] = port_up(alive ? slot : displaced(turn, live_slots_), lid);
      }
    }
  }

  /// No way by rank: to a later neighbour that is safe for it, else back to where the order came from.
  void go_by_turns() {
    const auto any = [this] { return std::ranges::any_of(left_, [](std::uint64_t w) { return w != 0; }); };
    if (!any()) return;
    const auto take = [this](std::uint32_t neighbour, std::uint8_t port) {
      const std::uint64_t* safe = c_.turns.safe(neighbour);
      for (std::uint32_t w = 0; w < left_.size(); ++w) {
        each_bit(left_[w] & safe[w], w, [&](std::uint32_t t) { write(t, port); });
        left_[w] &= ~safe[w];
      }
    };
    std::uint8_t back = kNoWay;
    for (const TreeShape::Down& d : shape_.downs(s_)) {
      if (c_.turns.leads_on(s_, d.child)) take(d.child, first_live(d));
      if (c_.turns.before(s_) == d.child) back = first_live(d);
    }
    for (const std::uint32_t i : live_slots_) {
      if (c_.turns.leads_on(s_, parent(i))) take(parent(i), port_up_any(i));
      if (c_.turns.before(s_) == parent(i)) back = port_up_any(i);
    }
    const std::vector<std::uint32_t>& part = c_.turns.parts();
    for (std::uint32_t w = 0; w < left_.size(); ++w)
      each_bit(left_[w], w, [&](std::uint32_t t) { write(t, part[t] == part[s_] ? back : kNoWay); });
  }

  std::uint8_t port_up_any(std::uint32_t slot) const {
    for (std::uint32_t j = 0;; ++j)
      if (const std::uint8_t port = shape_.port(s_, slot, j); port != TreeShape::kHole) return port;
  }

  /// Entries of any destination, asked for or not.
  void relieve() {
    for (const TreeRelief::Entry& e : c_.relief.of(s_)) row_[e.lid] = port_up(e.slot, e.lid);
  }

  void deliver() {
    for (const std::uint16_t lid : table_.of(s_)) row_[lid] = table_.port[lid];
  }

  struct Last {
    std::array<std::uint8_t, 256> port{};
    std::vector<std::uint8_t> row;
  };

  const TreeCommon& c_;
  const TreeShape& shape_;
  const LidTable& table_;
  std::uint32_t s_ = 0;
  std::uint8_t* row_ = nullptr;
  const TreeShape::Up* up_ = nullptr;
  std::vector<std::uint64_t> left_;   // destinations not decided yet
  std::vector<std::uint64_t> once_;   // led to by a neighbour
  std::vector<std::uint64_t> twice_;  // by two or more
  std::vector<std::uint64_t> all_;    // by all
  std::vector<std::uint8_t> by_owner_;
  std::vector<std::uint32_t> live_slots_;
  std::vector<std::uint32_t> slots_;
  std::vector<const TreeShape::Down*> children_;
  std::map<const TreeDealing*, Last> last_;
  std::vector<std::uint8_t> last_owner_;
  std::vector<std::uint8_t> last_from_above_;
};

using Entries = std::vector<Lft::Entry>;

/// Those of the destinations' LIDs, bar those of `s` itself, where `row`, which may hold anything else, and
/// the row before differ.
void list_entries(const LidTable& table, std::uint32_t s, const std::vector<std::uint64_t>& destinations,
                  const std::vector<std::uint8_t>& row, const Lft& before, Entries& entries) {
  entries.clear();
  for (std::uint32_t w = 0; w < destinations.size(); ++w)
    each_bit(destinations[w], w, [&](std::uint32_t t) {
      if (t == s) return;
      for (const std::uint16_t lid : table.of(t))
        if (row[lid] != before[lid]) entries.push_back({lid, row[lid]});
    });
}

}  // namespace

Result<Routes> fat_tree(const Problem& problem) {
  if (problem.fabric->switch_count() == 0) return Tables(problem).finish("fat-tree");
  Result<TreeShape> shape = problem.tree ? *problem.tree : tree_shape(problem, DesignGraph(problem));
  if (!shape && problem.design) return without_design(problem, fat_tree);
  if (!shape) return fail(std::move(shape.error()));
  const auto basis = std::make_shared<const TreeBasis>(problem, std::move(*shape));
  const TreeCommon common{problem,          basis->shape, basis->reach, basis->lids,
                          *basis->dealings, basis->turns, basis->relief};
  const TreeChanges changes = changes_since(problem, *basis);
  Tables tables(problem);
  in_pieces(basis->shape.live, problem.threads, [&](std::uint32_t from, std::uint32_t upto) {
    TreeRows worker(common);
    std::vector<std::uint8_t> row(basis->lids.size);
    std::vector<std::uint64_t> changed;
    Entries entries;
    for (std::uint32_t s = from; s < upto; ++s) {
      if (changes.rows[s] == TreeChanges::same) {
        tables.keep(s);
        continue;
      }
      if (changes.rows[s] == TreeChanges::some) {
        changed_destinations(changes, *basis, s, changed);
        worker.refill(s, changed, row.data());
        list_entries(basis->lids, s, changed, row, *tables.before(s), entries);
        tables.patch(s, entries);
      } else {
        worker.fill(s, row.data());
        tables.set(s, row.data());
      }
    }
  });
  Routes routes = std::move(tables).finish("fat-tree");
  routes.basis = basis;
  routes.notes.push_back(describe(basis->shape));
  return routes;
}

}  // namespace weft::routing
