#pragma once
// The timers of a clock, in order of time and, at equal times, of creation. Both clocks are built on it.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/clock.h"

namespace weft::inline base {

class TimerQueue {
 public:
  Clock::TimerId add(Instant when, std::function<void()> action) {
    const auto id = static_cast<Clock::TimerId>(++last_id_);
    timers_.emplace(Key{when, id}, std::move(action));
    times_.emplace(id, when);
    return id;
  }
  void cancel(Clock::TimerId id) {
    const auto found = times_.find(id);
    if (found == times_.end()) return;
    timers_.erase(Key{found->second, id});
    times_.erase(found);
  }
  std::optional<Instant> next() const {
    if (timers_.empty()) return std::nullopt;
    return timers_.begin()->first.first;
  }
  /// Takes the first timer that is due at `now`, or nothing.
  std::optional<std::function<void()>> take_due(Instant now) {
    if (timers_.empty() || timers_.begin()->first.first > now) return std::nullopt;
    auto node = timers_.extract(timers_.begin());
    times_.erase(node.key().second);
    return std::move(node.mapped());
  }
  std::size_t size() const { return timers_.size(); }

 private:
  using Key = std::pair<Instant, Clock::TimerId>;
  std::map<Key, std::function<void()>> timers_;
  std::unordered_map<Clock::TimerId, Instant> times_;
  std::uint64_t last_id_ = 0;
};

}  // namespace weft::inline base
