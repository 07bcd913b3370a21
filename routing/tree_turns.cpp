#include "routing/tree_turns.h"

#include <algorithm>
#include <bit>
#include <queue>
#include <tuple>

namespace weft::routing {
namespace {

/// Calls use(neighbour) for every neighbour that a live link leads to, children first.
template <typename Use>
void each_neighbour(const TreeShape& shape, std::uint32_t s, Use&& use) {
  for (const TreeShape::Down& d : shape.downs(s)) use(d.child);
  const TreeShape::Up& up = shape.up[s];
  for (std::uint32_t i = 0; i < up.slots; ++i)
    if (shape.to[up.first_to + i] < shape.live && shape.alive(s, i)) use(shape.to[up.first_to + i]);
}

int count_of(const std::uint64_t* set, std::uint32_t words) {
  int count = 0;
  for (std::uint32_t w = 0; w < words; ++w) count += std::popcount(set[w]);
  return count;
}

}  // namespace

TreeTurns::TreeTurns(const TreeShape& shape, const TreeReach& reach)
    : words_(reach.words()),
      part_(shape.live, kNone),
      position_(shape.live),
      before_(shape.live, kNone),
      safe_(std::size_t{shape.live} * words_),
      plain_(shape.live),
      extra_(shape.live) {
  find_parts(shape);
  grow(shape, reach);
  for (auto s = order_.rbegin(); s != order_.rend(); ++s) find_safe(shape, reach, *s);
}

void TreeTurns::find_parts(const TreeShape& shape) {
  std::uint32_t count = 0;
  std::vector<std::uint32_t> reached;
  for (std::uint32_t from = 0; from < shape.live; ++from) {
    if (part_[from] != kNone) continue;
    const auto add = [&](std::uint32_t s) {
      if (part_[s] != kNone) return;
      part_[s] = count;
      reached.push_back(s);
    };
    reached.clear();
    add(from);
    for (std::size_t next = 0; next < reached.size(); ++next) each_neighbour(shape, reached[next], add);
    ++count;
  }
}

/// From the switch of highest rank with most below it, part by part. Of one rank, those with most ways up
/// come first, since few of them then bring in all planes.
void TreeTurns::grow(const TreeShape& shape, const TreeReach& reach) {
  using Next = std::tuple<int, int, std::uint32_t>;  // rank and ways up, both falling; switch
  const auto next = [&shape](std::uint32_t s) {
    int ways = 0;
    for (std::uint32_t i = 0; i < shape.up[s].slots; ++i) ways += shape.alive(s, i) ? 1 : 0;
    return Next{-shape.rank[s], -ways, s};
  };
  std::vector<Next> starts;
  for (std::uint32_t s = 0; s < shape.live; ++s)
    starts.emplace_back(-shape.rank[s], -count_of(reach.row(0, s), words_), s);
  std::ranges::sort(starts);
  std::vector<bool> known(shape.live);
  std::vector<bool> started(shape.live);
  std::priority_queue<Next, std::vector<Next>, std::greater<>> border;
  order_.reserve(shape.live);
  for (const auto& [rank, below, start] : starts) {
    if (started[part_[start]]) continue;
    started[part_[start]] = true;
    known[start] = true;
    border.push(next(start));
    while (!border.empty()) {
      const std::uint32_t s = std::get<2>(border.top());
      border.pop();
      position_[s] = static_cast<std::uint32_t>(order_.size());
      order_.push_back(s);
      each_neighbour(shape, s, [&](std::uint32_t n) {
        if (known[n]) return;
        known[n] = true;
        before_[n] = s;
        border.push(next(n));
      });
    }
  }
}

/// Later switches are done already. Below: all but what some child leads to that is earlier, or not safe for
/// it. Above, by the fewest links up: what all parents that lead there are later and safe for. The rest: what
/// some later neighbour is safe for, since the table then takes that one.
void TreeTurns::find_safe(const TreeShape& shape, const TreeReach& reach, std::uint32_t s) {
  std::uint64_t* row = safe_.data() + static_cast<std::size_t>(s) * words_;
  std::copy_n(reach.row(0, s), words_, row);
  plain_[s] = 1;
  bool turns = false;  // some neighbour that packets could go on to by way of `s`
  for (const TreeShape::Down& d : shape.downs(s)) {
    const bool later = is_later(d.child, s);
    turns = turns || (later && extra_[d.child] != 0);
    if (later && plain_[d.child] != 0) continue;
    plain_[s] = 0;
    const std::uint64_t* below = reach.row(0, d.child);
    const std::uint64_t* safe = safe_.data() + static_cast<std::size_t>(d.child) * words_;
    for (std::uint32_t w = 0; w < words_; ++w) row[w] &= ~(below[w] & ~(later ? safe[w] : 0));
  }
  row[s / 64] |= std::uint64_t{1} << s % 64;

  const TreeShape::Up& up = shape.up[s];
  const auto each_parent = [&](auto&& use) {
    for (std::uint32_t i = 0; i < up.slots; ++i)
      if (const std::uint32_t parent = shape.to[up.first_to + i]; parent < shape.live && shape.alive(s, i))
        use(parent);
  };
  bool above = false;
  each_parent([&](std::uint32_t parent) { above = above || is_later(parent, s); });
  if (!above && !turns) return;

  std::vector<std::uint64_t> reached(reach.row(0, s), reach.row(0, s) + words_);
  std::vector<std::uint64_t> found(words_);
  for (std::uint32_t k = 1; k < reach.levels(); ++k) {
    for (std::uint32_t w = 0; w < words_; ++w) found[w] = reach.row(k, s)[w] & ~reached[w];
    for (std::uint32_t w = 0; w < words_; ++w) reached[w] |= found[w];
    each_parent([&](std::uint32_t parent) {
      const std::uint64_t* leads = reach.row(k - 1, parent);
      for (std::uint32_t w = 0; w < words_; ++w)
        found[w] &= ~leads[w] | (is_later(parent, s) ? safe(parent)[w] : 0);
    });
    for (std::uint32_t w = 0; w < words_; ++w) row[w] |= found[w];
  }
  each_neighbour(shape, s, [&](std::uint32_t n) {
    if (!leads_on(s, n)) return;
    for (std::uint32_t w = 0; w < words_; ++w) row[w] |= safe(n)[w] & ~reached[w];
  });
  for (std::uint32_t w = 0; w < words_ && extra_[s] == 0; ++w)
    extra_[s] = (row[w] & ~reach.row(0, s)[w]) != 0 ? 1 : 0;
}

}  // namespace weft::routing
