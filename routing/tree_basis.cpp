#include "routing/tree_basis.h"

#include <algorithm>
#include <iterator>

namespace weft::routing {

LidTable::LidTable(const Problem& problem, const TreeShape& shape)
    : size(row_size(problem.top)),
      owner(size, kNobody),
      host(size, kNobody),
      number(size),
      plane(size),
      port(size) {
  begin.assign(shape.live + 1, 0);
  for (const Destination& d : problem.destinations) begin[raw(d.at) + 1] += 1U << d.lmc;
  for (std::uint32_t s = 0; s < shape.live; ++s) begin[s + 1] += begin[s];
  lids.resize(begin[shape.live]);
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  has_hosts.resize(shape.live);
  for (std::size_t i = 0; i < problem.destinations.size(); ++i) {
    const Destination& d = problem.destinations[i];
    for (std::uint32_t j = 0; j < 1U << d.lmc; ++j) {
      const auto lid = static_cast<std::uint16_t>(raw(d.base) + j);
      owner[lid] = static_cast<std::uint16_t>(raw(d.at));
      if (!d.is_switch()) host[lid] = owner[lid];
      number[lid] = shape.number[i];
      plane[lid] = static_cast<std::uint8_t>(j);
      port[lid] = raw(d.port);
      lids[next[raw(d.at)]++] = lid;
    }
    if (!d.is_switch()) has_hosts[raw(d.at)] = true;
  }
}

namespace {

/// What the same engine made `problem.previous` from; null where there is none.
const TreeBasis* basis_before(const Problem& problem) {
  const Routes* before = problem.previous;
  return before && before->engine == "fat-tree" ? static_cast<const TreeBasis*>(before->basis.get())
                                                : nullptr;
}

}  // namespace

TreeBasis::TreeBasis(const Problem& problem, TreeShape found)
    : shape(std::move(found)),
      reach(shape, problem.threads),
      lids(problem, shape),
      turns(shape, reach),
      relief(shape, reach, lids) {
  const TreeBasis* before = basis_before(problem);
  dealings = before && before->lids == lids && covers(*before->dealings, shape)
                 ? before->dealings
                 : std::make_shared<const TreeDealings>(deal_ways_up(lids, shape));
}

namespace {

bool same_ways_up(const TreeShape& a, const TreeShape& b, std::uint32_t s) {
  const TreeShape::Up& x = a.up[s];
  const TreeShape::Up& y = b.up[s];
  if (x.slots != y.slots || x.links != y.links || x.divider != y.divider || x.first_port != y.first_port)
    return false;
  const auto size = static_cast<std::ptrdiff_t>(x.slots * x.links);
  const auto at = static_cast<std::ptrdiff_t>(x.first_port);
  return std::equal(a.ports.begin() + at, a.ports.begin() + at + size, b.ports.begin() + at) &&
         std::equal(a.far.begin() + at, a.far.begin() + at + size, b.far.begin() + at);
}

template <typename Use>
void each_live_neighbour(const TreeShape& shape, std::uint32_t s, Use&& use) {
  for (const TreeShape::Down& d : shape.downs(s)) use(d.child);
  for (std::uint32_t i = 0; i < shape.up[s].slots; ++i)
    if (const std::uint32_t to = shape.to[shape.up[s].first_to + i]; to < shape.live && shape.alive(s, i))
      use(to);
}

/// Adds the switches that `s` has no way to by rank and whose ways by turns (tree_turns.h) may differ;
/// whether there are any. `all`: links at `s` itself have changed, so all may.
bool add_turned(const TreeBasis& before, const TreeBasis& now, std::uint32_t s, bool all,
                std::vector<std::uint64_t>& to) {
  const std::uint32_t words = now.reach.words();
  all = all || before.turns.before(s) != now.turns.before(s);
  std::vector<std::uint64_t> differ(words);
  each_live_neighbour(now.shape, s, [&](std::uint32_t n) {
    all = all || before.turns.leads_on(s, n) != now.turns.leads_on(s, n);
    if (all || !now.turns.leads_on(s, n)) return;
    for (std::uint32_t w = 0; w < words; ++w) differ[w] |= before.turns.safe(n)[w] ^ now.turns.safe(n)[w];
  });
  std::uint64_t any = 0;
  for (std::uint32_t w = 0; w < words; ++w) {
    std::uint64_t turned = all ? ~std::uint64_t{0} : differ[w];
    if (turned == 0) continue;
    if (w + 1 == words && now.shape.live % 64 != 0) turned &= ~std::uint64_t{0} >> (64 - now.shape.live % 64);
    for (std::uint32_t k = 0; k < now.reach.levels(); ++k) turned &= ~now.reach.row(k, s)[w];
    to[w] |= turned;
    any |= turned;
  }
  return any != 0;
}

/// Adds the switches to whose LIDs flows go another way round, or no longer do (tree_relief.h).
void add_relieved(const TreeBasis& before, const TreeBasis& now, std::uint32_t s,
                  std::vector<std::uint64_t>& to) {
  std::vector<TreeRelief::Entry> differ;
  std::ranges::set_symmetric_difference(before.relief.of(s), now.relief.of(s), std::back_inserter(differ));
  for (const TreeRelief::Entry& e : differ)
    to[now.lids.owner[e.lid] / 64] |= std::uint64_t{1} << now.lids.owner[e.lid] % 64;
}

}  // namespace

TreeChanges changes_since(const Problem& problem, const TreeBasis& now) {
  TreeChanges changes{std::vector<TreeChanges::Row>(now.shape.live, TreeChanges::anything), nullptr, {}};
  const Routes* before = problem.previous;
  if (!basis_before(problem) || before->top != problem.top) return changes;
  const TreeBasis& old = *basis_before(problem);
  const bool same_switches =
      before->switches.size() == now.shape.live &&
      std::ranges::equal(before->switches, problem.fabric->switches(), {}, {},
                         [&problem](NodeId id) { return problem.fabric->node(id).guid; });
  const bool same_frame = same_switches && old.shape.rank == now.shape.rank && old.shape.to == now.shape.to &&
                          old.shape.ports.size() == now.shape.ports.size() &&
                          old.turns.parts() == now.turns.parts() && old.lids == now.lids;
  if (!same_frame) return changes;

  changes.before = &old;
  std::vector<std::uint8_t> ways(now.shape.live);  // own ways up changed
  std::vector<std::uint8_t>& reach = changes.reach;
  reach.resize(now.shape.live);
  for (std::uint32_t s = 0; s < now.shape.live; ++s) {
    ways[s] = same_ways_up(old.shape, now.shape, s) ? 0 : 1;
    for (std::uint32_t k = 0; k < now.reach.levels(); ++k)
      if (!std::equal(now.reach.row(k, s), now.reach.row(k, s) + now.reach.words(), old.reach.row(k, s)))
        reach[s] = 1;
  }
  const bool same_turns = old.turns == now.turns;
  std::vector<std::uint64_t> turned(now.reach.words());
  for (std::uint32_t s = 0; s < now.shape.live; ++s) {
    const TreeShape::Up& up = now.shape.up[s];
    bool some = false;
    for (std::uint32_t i = 0; i < up.slots; ++i)
      if (const std::uint32_t parent = now.shape.to[up.first_to + i]; parent < now.shape.live)
        some = some || reach[parent] != 0;
    for (const TreeShape* shape : {&old.shape, &now.shape})
      for (const TreeShape::Down& d : shape->downs(s))
        some = some || ways[d.child] != 0 || reach[d.child] != 0;
    some = some || !std::ranges::equal(old.relief.of(s), now.relief.of(s));
    if (!some && !same_turns) some = add_turned(old, now, s, false, turned);
    changes.rows[s] = ways[s] != 0 ? TreeChanges::anything : some ? TreeChanges::some : TreeChanges::same;
  }
  return changes;
}

void changed_destinations(const TreeChanges& changes, const TreeBasis& now, std::uint32_t s,
                          std::vector<std::uint64_t>& changed) {
  const TreeBasis& before = *changes.before;
  const std::uint32_t words = now.reach.words();
  changed.assign(words, 0);
  const auto add = [&](std::uint32_t neighbour, std::uint32_t levels) {
    for (std::uint32_t k = 0; changes.reach[neighbour] != 0 && k < levels; ++k)
      for (std::uint32_t w = 0; w < words; ++w)
        changed[w] |= before.reach.row(k, neighbour)[w] ^ now.reach.row(k, neighbour)[w];
  };
  const TreeShape::Up& up = now.shape.up[s];
  for (std::uint32_t i = 0; i < up.slots; ++i)
    if (const std::uint32_t parent = now.shape.to[up.first_to + i]; parent < now.shape.live)
      add(parent, now.reach.levels());
  bool links_changed = false;
  for (const TreeBasis* basis : {&before, &now}) {
    for (const TreeShape::Down& d : basis->shape.downs(s)) {
      add(d.child, 1);
      if (same_ways_up(before.shape, now.shape, d.child)) continue;
      links_changed = true;
      for (std::uint32_t w = 0; w < words; ++w)  // the ports that lead to the child
        changed[w] |= before.reach.row(0, d.child)[w] | now.reach.row(0, d.child)[w];
    }
  }
  add_turned(before, now, s, links_changed, changed);
  add_relieved(before, now, s, changed);
}

}  // namespace weft::routing
