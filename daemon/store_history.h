#pragma once
// The history in the state file: events and sweeps, written, dropped when old, and read in steps so that no
// commit waits long for somebody who looks back.

#include "daemon/event_query.h"
#include "daemon/status.h"
#include "daemon/store_sql.h"

namespace weft::daemon {

/// SQL that makes the tables.
extern const char* const kHistoryTables;

/// The newest `limit` events, oldest first. Errors: `malformed` when tables, columns or values are not ours.
Result<std::vector<Event>> load_events(Database& database, std::size_t limit);
/// Adds events and drops the oldest, so that about `kept` remain.
Result<void> write_events(Database& database, const std::vector<Event>& events, std::size_t kept);
/// Likewise sweeps.
Result<void> write_sweeps(Database& database, const std::vector<SweepReport>& reports, std::size_t kept);
/// Drops events and sweeps from before this time.
Result<void> drop_before(Database& database, WallTime time);

/// Reads events that match a query, some thousand rows a step.
class EventReader {
 public:
  explicit EventReader(EventQuery query) : query_(std::move(query)) {}
  /// True: all is read. Errors: as above.
  Result<bool> step(Database& database);
  /// Oldest first.
  std::vector<Event> found() &&;

 private:
  Result<void> find_ends(Database& database);
  EventQuery query_;
  std::vector<Event> found_;
  bool begun_ = false;
  std::uint64_t low_ = 0;   ///< What is left to look at: ids from here
  std::uint64_t high_ = 0;  ///< up to here, exclusive.
};

/// Oldest first; of more than the limit, the newest. Errors: as above.
Result<std::vector<SweepReport>> read_sweeps(Database& database, const SweepQuery& query);

}  // namespace weft::daemon
