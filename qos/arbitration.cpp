#include "qos/arbitration.h"

#include <algorithm>
#include <cmath>

namespace weft::qos {
namespace {

constexpr int kMostWeight = 255;
constexpr std::size_t kMostEntries = 64;

/// How many entries each lane gets: at least one each, the rest by largest remainder.
std::vector<std::size_t> entry_counts(const std::vector<LaneShare>& lanes, std::size_t length) {
  double total = 0;
  for (const LaneShare& lane : lanes) total += lane.share;
  std::vector<std::size_t> counts(lanes.size(), 1);
  for (std::size_t used = lanes.size(); used < length; ++used) {
    std::size_t neediest = 0;
    double most = -1;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      const double lacks =
          lanes[i].share / total * static_cast<double>(length) - static_cast<double>(counts[i]);
      if (lacks > most + 1e-9) {
        most = lacks;
        neediest = i;
      }
    }
    ++counts[neediest];
  }
  return counts;
}

/// Entries of one lane as far from each other as can be: every step takes the lane that is furthest behind.
std::vector<ArbEntry> spread(const std::vector<LaneShare>& lanes, const std::vector<std::size_t>& counts,
                             const std::vector<std::uint8_t>& weights) {
  std::size_t length = 0;
  for (const std::size_t count : counts) length += count;
  std::vector<ArbEntry> table;
  std::vector<std::size_t> placed(lanes.size(), 0);
  for (std::size_t at = 0; at < length; ++at) {
    std::size_t next = 0;
    double most = -1;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      if (placed[i] == counts[i]) continue;
      const double due =
          static_cast<double>(at + 1) * static_cast<double>(counts[i]) / static_cast<double>(length) -
          static_cast<double>(placed[i]);
      if (due > most + 1e-9) {
        most = due;
        next = i;
      }
    }
    table.push_back({lanes[next].vl, weights[next]});
    ++placed[next];
  }
  return table;
}

/// A weight for each lane's entries, so that entries times weight are as the shares are: the largest is as
/// large as it can be, for the finest steps.
std::vector<std::uint8_t> weights_of(const std::vector<LaneShare>& lanes,
                                     const std::vector<std::size_t>& counts) {
  std::vector<double> wanted;
  for (std::size_t i = 0; i < lanes.size(); ++i)
    wanted.push_back(lanes[i].share / static_cast<double>(counts[i]));
  const double most = *std::ranges::max_element(wanted);
  std::vector<std::uint8_t> weights;
  for (const double one : wanted)
    weights.push_back(static_cast<std::uint8_t>(std::max(1L, std::lround(one / most * kMostWeight))));
  return weights;
}

std::vector<ArbEntry> table_of(std::vector<LaneShare> lanes, std::size_t length, std::vector<Vl>* left_out) {
  length = std::min(length, kMostEntries);
  if (lanes.empty() || length == 0) return {};
  std::ranges::sort(lanes, {}, [](const LaneShare& lane) { return std::pair(-lane.share, lane.vl); });
  while (lanes.size() > length) {
    if (left_out != nullptr) left_out->push_back(lanes.back().vl);
    lanes.pop_back();
  }
  std::ranges::sort(lanes, {}, &LaneShare::vl);
  const std::vector<std::size_t> counts = entry_counts(lanes, length);
  return spread(lanes, counts, weights_of(lanes, counts));
}

}  // namespace

Arbitration arbitrate(const std::vector<LaneShare>& lanes, std::size_t high_length, std::size_t low_length,
                      std::vector<Vl>* left_out) {
  std::vector<LaneShare> strict;
  std::vector<LaneShare> fair;
  double most = 0;
  for (const LaneShare& lane : lanes) most = std::max(most, lane.share);
  for (const LaneShare& lane : lanes) {
    if (!lane.strict)
      fair.push_back(lane);
    else if (high_length > 0)
      strict.push_back(lane);
    else
      fair.push_back({lane.vl, most * kMostWeight, true});
  }
  Arbitration made;
  made.high = table_of(std::move(strict), high_length, left_out);
  made.low = table_of(std::move(fair), low_length, left_out);
  if (!made.high.empty()) made.high_limit = kNoHighLimit;
  return made;
}

double share_of(const std::vector<ArbEntry>& table, Vl vl) {
  double all = 0;
  double mine = 0;
  for (const ArbEntry& entry : table) {
    all += entry.weight;
    if (entry.vl == vl) mine += entry.weight;
  }
  return all == 0 ? 0 : mine / all;
}

}  // namespace weft::qos
