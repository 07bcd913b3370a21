#pragma once
// RealClock: steady time on the event loop. One Asio timer serves all of ours: it is armed for the earliest
// and left alone while later ones come and go, so a time-out that never strikes costs no system call.

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/clock.h"
#include "base/timer_queue.h"
#include "transport/asio.h"

namespace weft::transport {

class RealClock final : public Clock {
 public:
  explicit RealClock(asio::io_context& loop);
  ~RealClock() override;
  Instant now() const override;
  TimerId at(Instant when, std::function<void()> action) override;
  void cancel(TimerId id) override { timers_.cancel(id); }

 private:
  void arm();
  void fire();

  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  asio::steady_timer timer_;
  TimerQueue timers_;
  Instant armed_ = Instant::max();
};

/// Waits without blocking anything else.
asio::awaitable<void> sleep_for(Clock& clock, Duration wait);

}  // namespace weft::transport
