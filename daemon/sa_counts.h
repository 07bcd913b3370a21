#pragma once
// SaCounts: what the SA did, over all and by attribute, with how long answers took.

#include <array>
#include <bit>
#include <cstdint>
#include <map>

#include "base/clock.h"
#include "mad/sa.h"

namespace weft::daemon {

/// How often an answer took less than 2^i us, by i; the last holds all that took longer.
using Histogram = std::array<std::uint64_t, 24>;

struct SaAttributeCounts {
  std::uint64_t requests = 0;
  std::uint64_t answered = 0;
  std::uint64_t refused = 0;  ///< Of these, with a status that is not 0.
  std::uint64_t dropped = 0;  ///< Over quota, and answers without room.
  Histogram took{};           ///< From arrival to the (first packet of the) answer.
  Duration took_in_all{};     ///< The sum of these.
};

struct SaCounts {
  std::uint64_t requests = 0;
  std::uint64_t answered = 0;
  std::uint64_t refused = 0;     ///< Answered with a status that is not 0.
  std::uint64_t unadmitted = 0;  ///< Left unanswered: not master, foreign SM_Key, no room.
  std::uint64_t duplicates = 0;  ///< Repeated while they waited.
  std::uint64_t over_quota = 0;
  std::uint64_t reports = 0;
  std::uint64_t unconfirmed = 0;  ///< Reports nobody confirmed.
  /// Known attributes; all others under 0.
  std::map<std::uint16_t, SaAttributeCounts> by_attribute;
};

inline std::size_t histogram_place(Duration took) {
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
  const auto width = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(us < 0 ? 0 : us)));
  return width < Histogram{}.size() ? width : Histogram{}.size() - 1;
}

}  // namespace weft::daemon
