#pragma once
// Clock: everything that waits does so through one. Two stand behind it: the real one
// (transport/real_clock.h, on the event loop) and the virtual one (base/virtual_clock.h), under which hours
// pass in milliseconds.

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

namespace weft::inline base {

using Duration = std::chrono::nanoseconds;
/// Time since the clock's own start; steady, not the time of day.
using Instant = std::chrono::nanoseconds;

class Clock {
 public:
  enum class TimerId : std::uint64_t { none = 0 };

  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;

  virtual Instant now() const = 0;
  /// Calls `action` on the loop thread at `when`, or as soon as possible when that is past. Equal times: in
  /// the order of the calls. Cost: O(log timers).
  virtual TimerId at(Instant when, std::function<void()> action) = 0;
  /// Forgets a timer. One that has run, is running or never was is ignored.
  virtual void cancel(TimerId id) = 0;

  TimerId after(Duration wait, std::function<void()> action) { return at(now() + wait, std::move(action)); }
};

}  // namespace weft::inline base
