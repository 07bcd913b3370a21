#pragma once
// Agenda: what one owner has still to do at given times. The clock sees a single timer, and none is left
// behind when the owner goes.

#include <functional>

#include "base/clock.h"
#include "base/timer_queue.h"

namespace weft::sim {

class Agenda {
 public:
  explicit Agenda(Clock& clock) : clock_(clock) {}
  ~Agenda() { clock_.cancel(timer_); }
  Agenda(const Agenda&) = delete;
  Agenda& operator=(const Agenda&) = delete;

  Clock::TimerId after(Duration wait, std::function<void()> action);
  void cancel(Clock::TimerId id) { entries_.cancel(id); }

 private:
  void arm();
  void fire();

  Clock& clock_;
  TimerQueue entries_;
  Clock::TimerId timer_ = Clock::TimerId::none;
  Instant armed_ = Instant::max();
};

}  // namespace weft::sim
