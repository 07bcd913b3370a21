#pragma once
// VL arbitration tables from shares: strict lanes in the high-priority table, the others in the low one, each
// lane's entries spread as evenly as the table's length allows. Source: IBTA vol. 1, 7.6.9.2 and 14.2.5.9.

#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace weft::qos {

/// What one lane is to get of a port.
struct LaneShare {
  Vl vl{};
  double share = 0;  ///< Of all that are strict, or of all that are not; more than 0.
  bool strict = false;
  bool operator==(const LaneShare&) const = default;
};

struct ArbEntry {
  Vl vl{};
  std::uint8_t weight = 0;  ///< In units of 64 bytes; 0: the entry is skipped.
  bool operator==(const ArbEntry&) const = default;
};

/// VLHighLimit that lets the high table go on as long as it has something.
inline constexpr std::uint8_t kNoHighLimit = 255;

struct Arbitration {
  std::vector<ArbEntry> high;
  std::vector<ArbEntry> low;
  std::uint8_t high_limit = 0;  ///< VLHighLimit, in units of 4 KB.
  bool operator==(const Arbitration&) const = default;
};

/// Tables of at most these lengths (at most 64 each). A table that is too short for its lanes gives the ones
/// with the least share no entry of their own: `left_out` then names them. Without a high table strict lanes
/// stand in the low one with the most weight.
Arbitration arbitrate(const std::vector<LaneShare>& lanes, std::size_t high_length, std::size_t low_length,
                      std::vector<Vl>* left_out = nullptr);

/// The part of a table's weight that a lane has, 0 to 1.
double share_of(const std::vector<ArbEntry>& table, Vl vl);

}  // namespace weft::qos
