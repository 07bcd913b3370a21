#pragma once
// Virtual time: stands still while anything can run and jumps to the next timer when nothing can. The loop
// that owns it (transport/run.h) calls advance() when the event loop has no work left.

#include "base/clock.h"
#include "base/timer_queue.h"

namespace weft::inline base {

class VirtualClock final : public Clock {
 public:
  Instant now() const override { return now_; }
  TimerId at(Instant when, std::function<void()> action) override;
  void cancel(TimerId id) override { timers_.cancel(id); }

  /// Jumps to the next timer and runs every timer due then. False when there is none: nothing will ever
  /// happen.
  bool advance();
  /// Runs all timers up to and including `until`, then stands there. For tests without an event loop.
  void run_until(Instant until);

 private:
  Instant now_{};
  TimerQueue timers_;
};

}  // namespace weft::inline base
