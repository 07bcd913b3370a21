#include "routing/spread.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace weft::routing {

void Batch::reset(std::uint32_t first_switch) {
  first = first_switch;
  count = std::min(kLanes, static_cast<std::uint32_t>(length.size()) - first);
  std::ranges::fill(ways, 0);
  Lengths none;
  none.fill(kNoPath);
  std::ranges::fill(length, none);
}

std::uint64_t equal_lanes(const Lengths& a, const Lengths& b) {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::uint64_t kLow7 = 0x7f7f7f7f7f7f7f7f;
  std::uint64_t equal = 0;
  for (std::uint32_t byte = 0; byte < kLanes; byte += 8) {
    std::uint64_t x = 0;
    std::uint64_t y = 0;
    std::memcpy(&x, a.data() + byte, 8);
    std::memcpy(&y, b.data() + byte, 8);
    const std::uint64_t differ = x ^ y;
    const std::uint64_t zero = ~(((differ & kLow7) + kLow7) | differ | kLow7) >> 7;  // 1 in each equal byte
    equal |= (zero * 0x0102040810204080 >> 56) << byte;
  }
  return equal;
}

void find_shortest(const SwitchGraph& graph, Batch& batch) {
  std::vector<std::uint64_t> seen(graph.size());
  std::vector<std::uint64_t> here(graph.size());  // lanes whose search stands at the switch
  std::vector<std::uint64_t> next(graph.size());
  for (std::uint32_t k = 0; k < batch.count; ++k) {
    seen[batch.first + k] = here[batch.first + k] = std::uint64_t{1} << k;
    batch.length[batch.first + k][k] = 0;
  }
  bool more = batch.count > 0;
  for (std::uint8_t hops = 1; more && hops <= kLongestPath; ++hops) {
    more = false;
    for (std::uint32_t s = 0; s < graph.size(); ++s) {
      std::uint64_t found = 0;
      for (const Group& g : graph.groups(s)) found |= here[g.to];
      next[s] = found &= ~seen[s];
      if (found == 0) continue;
      more = true;
      seen[s] |= found;
      std::uint64_t* way = batch.ways.data() + graph.group_begin(s);
      for (const Group& g : graph.groups(s)) *way++ |= found & here[g.to];
      for (std::uint64_t bits = found; bits != 0; bits &= bits - 1)
        batch.length[s][std::countr_zero(bits)] = hops;
    }
    here.swap(next);
  }
}

Spread::Spread(const Problem& problem, const SwitchGraph& graph, Tables& tables)
    : problem_(problem),
      graph_(graph),
      tables_(tables),
      words_(graph.most_groups() / 64 + 1),
      load_(graph.port_count()),
      chosen_(static_cast<std::size_t>(kLanes) * graph.size() * words_),
      last_sets_(static_cast<std::size_t>(graph.size()) * words_),
      last_counts_(graph.size()),
      last_choices_(graph.port_count()) {}

void Spread::write(const Batch& batch) {
  transpose(batch);
  for (std::uint32_t k = 0; k < batch.count; ++k) {
    const std::uint32_t destination = batch.first + k;
    list_lids(destination);
    if (lids_.empty() && switch_lids_.empty()) continue;
    deliver(destination);
    sort_by_length(batch, k);
    arriving_.assign(lids_.size() * graph_.size(), 0);
    for (const std::uint32_t s : order_) deal(s, choose(s, k));
    turn_ += static_cast<std::uint32_t>(lids_.size());
  }
}

// In place, by swapping ever smaller squares.
static void transpose64(std::array<std::uint64_t, 64>& m) {
  std::uint64_t mask = 0x00000000ffffffff;
  for (std::uint32_t width = 32; width != 0; width >>= 1, mask ^= mask << width) {
    for (std::uint32_t i = 0; i < 64; i = ((i | width) + 1) & ~width) {
      const std::uint64_t swapped = ((m[i] >> width) ^ m[i | width]) & mask;
      m[i] ^= swapped << width;
      m[i | width] ^= swapped;
    }
  }
}

void Spread::transpose(const Batch& batch) {
  std::array<std::uint64_t, 64> square;
  for (std::uint32_t s = 0; s < graph_.size(); ++s) {
    const std::uint64_t* ways = batch.ways.data() + graph_.group_begin(s);
    const std::size_t groups = graph_.groups(s).size();
    for (std::uint32_t word = 0; word < words_; ++word) {
      const std::size_t from = std::min<std::size_t>(groups, word * 64U);
      const std::size_t upto = std::min<std::size_t>(groups, from + 64);
      std::copy(ways + from, ways + upto, square.begin());
      std::fill(square.begin() + static_cast<std::ptrdiff_t>(upto - from), square.end(), 0);
      if (upto > from) transpose64(square);
      for (std::size_t k = 0; k < batch.count; ++k)
        chosen_[(k * graph_.size() + s) * words_ + word] = square[k];
    }
  }
}

// Counting sort.
void Spread::sort_by_length(const Batch& batch, std::uint32_t lane) {
  std::array<std::uint32_t, 256> end{};
  for (std::uint32_t s = 0; s < graph_.size(); ++s) ++end[255U - batch.length[s][lane]];
  end[255U - kNoPath] = 0;
  end[255] = 0;  // the destination itself
  for (std::size_t i = 1; i < end.size(); ++i) end[i] += end[i - 1];
  order_.resize(end[255]);
  for (std::uint32_t s = graph_.size(); s-- > 0;) {
    const std::uint8_t length = batch.length[s][lane];
    if (length != kNoPath && length != 0) order_[--end[255U - length]] = s;
  }
}

void Spread::list_lids(std::uint32_t destination) {
  lids_.clear();
  switch_lids_.clear();
  for (const std::uint32_t i : graph_.destinations(destination)) {
    const Destination& d = problem_.destinations[i];
    if (d.is_switch() && layer_ != 0) continue;
    for (std::uint32_t offset = 0; offset < 1U << d.lmc; ++offset)
      if (d.is_switch() || offset % layers_ == layer_)
        (d.is_switch() ? switch_lids_ : lids_).push_back(static_cast<std::uint16_t>(raw(d.base) + offset));
  }
}

void Spread::deliver(std::uint32_t destination) {
  std::uint8_t* row = tables_.row(destination);
  for (const std::uint32_t i : graph_.destinations(destination)) {
    const Destination& d = problem_.destinations[i];
    std::memset(row + raw(d.base), raw(d.port), std::size_t{1} << d.lmc);
  }
}

/// Ports of the best groups, as list_choices orders them.
Spread::Choices Spread::choose(std::uint32_t s, std::uint32_t lane) {
  const std::uint64_t* sets = chosen_.data() + (static_cast<std::size_t>(lane) * graph_.size() + s) * words_;
  std::uint64_t* last = last_sets_.data() + static_cast<std::size_t>(s) * words_;
  Choice* choices = last_choices_.data() + graph_.groups(s).front().first_port;
  std::uint64_t differ = 0;
  for (std::uint32_t word = 0; word < words_; ++word) differ |= sets[word] ^ last[word];
  if (differ != 0) {
    std::copy(sets, sets + words_, last);
    last_counts_[s] = list_choices(s, sets, choices);
  }
  return {choices, last_counts_[s]};
}

/// First link of each group, then second of each, and so on.
std::uint32_t Spread::list_choices(std::uint32_t s, const std::uint64_t* sets, Choice* to) const {
  std::uint32_t count = 0;
  bool more = true;
  for (std::uint32_t link = 0; more; ++link) {
    more = false;
    for (std::uint32_t word = 0; word < words_; ++word) {
      for (std::uint64_t bits = sets[word]; bits != 0; bits &= bits - 1) {
        const std::uint32_t index = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
        const Group& g = graph_.group(graph_.group_begin(s) + index);
        if (link < g.port_count) to[count++] = {g.first_port + link, g.to, graph_.ports(g)[link]};
        more |= link + 1 < g.port_count;
      }
    }
  }
  return count;
}

void Spread::deal(std::uint32_t s, Choices choices) {
  std::uint8_t* row = tables_.row(s);
  for (const std::uint16_t lid : switch_lids_) row[lid] = choices[lid % choices.size()].port;
  if (lids_.empty()) return;
  std::uint32_t* arriving = arriving_.data() + s * lids_.size();
  const bool loaded = graph_.hosts(s) != 0 ||
                      std::any_of(arriving, arriving + lids_.size(), [](std::uint32_t n) { return n != 0; });
  if (!loaded)
    deal_in_turn(s, choices);
  else if (choices.size() == 1)
    deal_to_only(s, choices.front(), arriving);
  else
    deal_loaded(s, choices, arriving);
}

/// Each LID to the least loaded port, the first in order among equals. One pass over the ports serves many
/// LIDs: the ports at the minimum are taken in order, and only when none is left is the new minimum sought.
void Spread::deal_loaded(std::uint32_t s, Choices choices, std::uint32_t* arriving) {
  std::uint8_t* row = tables_.row(s);
  const std::uint32_t own = graph_.hosts(s);
  loads_.resize(choices.size());
  for (std::size_t c = 0; c < choices.size(); ++c) loads_[c] = load_[choices[c].load];
  std::size_t next = choices.size();
  std::uint32_t least = 0;
  for (std::size_t j = 0; j < lids_.size(); ++j) {
    const std::uint32_t weight = own + arriving[j];
    if (weight == 0) {
      row[lids_[j]] = choices[(turn_ + j) % choices.size()].port;
      continue;
    }
    while (next < choices.size() && loads_[next] != least) ++next;
    if (next == choices.size()) {
      const auto lowest = std::ranges::min_element(loads_);
      least = *lowest;
      next = static_cast<std::size_t>(lowest - loads_.begin());
    }
    row[lids_[j]] = choices[next].port;
    loads_[next] += weight;
    arriving_[choices[next].to * lids_.size() + j] += weight;
    ++next;
  }
  for (std::size_t c = 0; c < choices.size(); ++c) load_[choices[c].load] = loads_[c];
}

void Spread::deal_to_only(std::uint32_t s, const Choice& only, const std::uint32_t* arriving) {
  std::uint8_t* row = tables_.row(s);
  std::uint32_t* onward = arriving_.data() + only.to * lids_.size();
  for (std::size_t j = 0; j < lids_.size(); ++j) {
    const std::uint32_t weight = graph_.hosts(s) + arriving[j];
    row[lids_[j]] = only.port;
    load_[only.load] += weight;
    onward[j] += weight;
  }
}

void Spread::deal_in_turn(std::uint32_t s, Choices choices) {
  std::uint8_t* row = tables_.row(s);
  std::size_t next = turn_ % choices.size();
  for (const std::uint16_t lid : lids_) {
    row[lid] = choices[next].port;
    if (++next == choices.size()) next = 0;
  }
}

}  // namespace weft::routing
