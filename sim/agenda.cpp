#include "sim/agenda.h"

namespace weft::sim {

Clock::TimerId Agenda::after(Duration wait, std::function<void()> action) {
  const Clock::TimerId id = entries_.add(clock_.now() + wait, std::move(action));
  arm();
  return id;
}

void Agenda::arm() {
  const std::optional<Instant> next = entries_.next();
  if (!next || *next >= armed_) return;
  clock_.cancel(timer_);
  armed_ = *next;
  timer_ = clock_.at(*next, [this] { fire(); });
}

void Agenda::fire() {
  armed_ = Instant::max();
  const Instant now = clock_.now();
  while (auto action = entries_.take_due(now)) (*action)();
  arm();
}

}  // namespace weft::sim
