#pragma once
// EventQuery and SweepQuery: which events and sweeps somebody wants to see. The same questions are put to
// what is in memory, to the store, and to what is just happening.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/status.h"

namespace weft::daemon {

/// A node or port, by the words that texts name it with.
struct PlaceNamed {
  Guid guid{};       ///< 0: known by name only, one that is not there any more.
  std::string name;  ///< As its NodeDescription; may be empty.
  std::optional<PortNum> port;
};

struct EventQuery {
  std::uint64_t after = 0;  ///< Only ids above.
  std::uint64_t before = UINT64_MAX;
  std::optional<WallTime> since;
  std::optional<WallTime> until;
  std::vector<std::string> kinds;  ///< Globs; none: all.
  Severity least = Severity::info;
  std::optional<PlaceNamed> place;  ///< The event is of it, or its text names it: a link has two ends.
  std::size_t limit = 100;
  bool oldest = false;  ///< Of more than `limit`, the oldest instead of the newest.
};

bool matches(const EventQuery& query, const Event& event);

/// Whether a text names it, as fabric::describe does: "0x0002c90300fe1234 (leaf-12) port 7".
bool names(std::string_view text, const PlaceNamed& place);

struct SweepQuery {
  std::optional<WallTime> since;
  std::optional<WallTime> until;
  std::optional<std::uint64_t> number;
  std::size_t limit = 100;
};

}  // namespace weft::daemon
