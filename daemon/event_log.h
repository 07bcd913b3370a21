#pragma once
// EventLog: what happened, newest 10,000 in memory, all of it on its way to the store, and each a line of the
// log with its severity. Ids rise without a gap, across restarts too. Loop thread only.

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "daemon/event_query.h"
#include "daemon/status.h"
#include "daemon/store.h"

namespace weft::daemon {

class EventLog {
 public:
  static constexpr std::size_t kKept = 10'000;

  /// `store` may be null: then nothing survives. `past`: what it held, oldest first.
  explicit EventLog(Store* store, std::vector<Event> past = {});

  /// Gives the event its id, and the time of day when it has none.
  const Event& add(Event event);
  /// Called after every event; may be empty.
  void on_add(std::function<void(const Event&)> told) { told_ = std::move(told); }
  /// Events with id > `after`, oldest first; of more than `limit`, the newest.
  std::vector<Event> after(std::uint64_t id, std::size_t limit) const;
  /// Those that match, oldest first. Cost: O(events after `query.after`).
  std::vector<Event> find(const EventQuery& query) const;
  std::uint64_t last_id() const { return last_id_; }
  /// Of the oldest in memory; last_id() + 1 when there is none.
  std::uint64_t first_id() const { return events_.empty() ? last_id_ + 1 : events_.front().id; }

 private:
  Store* store_;
  std::deque<Event> events_;
  std::uint64_t last_id_ = 0;
  std::function<void(const Event&)> told_;
};

}  // namespace weft::daemon
