#pragma once
// Loop: the server's event loop, and the clock of its fabric: one epoll set, one queue of timers, and the
// time read once a turn. Asio would cost a timer's system calls for every batch of packets, which are all due
// at once; here a turn is epoll_wait, the reads, the timers that are due, and what was asked for at its end.

#include <functional>
#include <unordered_map>

#include "base/clock.h"
#include "base/result.h"
#include "base/timer_queue.h"
#include "transport/ibsim/endpoint.h"

namespace weft::sim {

class Loop final : public Clock {
 public:
  /// Gets the epoll events of a descriptor.
  using Ready = std::function<void(std::uint32_t events)>;

  Loop();

  Instant now() const override { return now_; }
  TimerId at(Instant when, std::function<void()> action) override {
    return timers_.add(when, std::move(action));
  }
  void cancel(TimerId id) override { timers_.cancel(id); }

  /// Watches a descriptor, level-triggered. Errors: `system`.
  Result<void> watch(int fd, std::uint32_t events, Ready ready);
  void change(int fd, std::uint32_t events);
  /// Leaves a descriptor alone for a while, as nothing can be done about it now: a connection comes in and no
  /// descriptor is left for it.
  void rest(int fd, std::uint32_t events, Duration wait = std::chrono::milliseconds(100));
  /// Call before the descriptor is closed.
  void forget(int fd);
  /// Called at the end of every turn, such as to send what has piled up.
  void at_end_of_turn(std::function<void()> action) { end_of_turn_ = std::move(action); }

  /// Waits until something happens and handles it; at most `limit`.
  void turn(Duration limit = Duration::max());
  void run();
  void stop() { stopped_ = true; }

 private:
  void read_time();

  transport::ibsim::Descriptor epoll_;
  std::unordered_map<int, std::shared_ptr<Ready>> watched_;
  TimerQueue timers_;
  std::function<void()> end_of_turn_;
  Instant start_{};
  Instant now_{};
  bool stopped_ = false;
};

}  // namespace weft::sim
