#pragma once
// Heart: beats on the loop, and so tells whether this process stood still (stopped, starved, out of memory).
// Somebody else may have become master meanwhile, and what we still wanted to send is out of date.

#include <algorithm>
#include <functional>

#include "base/clock.h"

namespace weft::daemon {

class Heart {
 public:
  /// `woke`: called once after a standstill, at the first beat or question thereafter.
  Heart(Clock& clock, std::function<void(Duration)> woke) : clock_(clock), woke_(std::move(woke)) {}
  ~Heart() { clock_.cancel(timer_); }
  Heart(const Heart&) = delete;
  Heart& operator=(const Heart&) = delete;

  /// A standstill is longer than `limit`, and than two beats.
  void start(Duration limit) {
    limit_ = std::max(limit, 2 * kBeat);
    if (timer_ != Clock::TimerId::none) return;
    last_ = clock_.now();
    beat();
  }
  void stop() {
    clock_.cancel(timer_);
    timer_ = Clock::TimerId::none;
  }
  /// Asked before anything is done that only a master does.
  void check() {
    const Duration gap = clock_.now() - last_;
    if (timer_ == Clock::TimerId::none || gap <= limit_) return;
    last_ = clock_.now();
    woke_(gap);
  }

 private:
  static constexpr Duration kBeat = std::chrono::seconds(1);
  void beat() {
    check();
    last_ = clock_.now();
    timer_ = clock_.after(kBeat, [this] { beat(); });
  }

  Clock& clock_;
  std::function<void(Duration)> woke_;
  Clock::TimerId timer_ = Clock::TimerId::none;
  Duration limit_{};
  Instant last_{};
};

}  // namespace weft::daemon
