#include "base/virtual_clock.h"

#include <algorithm>

namespace weft::inline base {

Clock::TimerId VirtualClock::at(Instant when, std::function<void()> action) {
  return timers_.add(std::max(when, now_), std::move(action));
}

bool VirtualClock::advance() {
  const std::optional<Instant> next = timers_.next();
  if (!next) return false;
  now_ = std::max(now_, *next);
  while (auto action = timers_.take_due(now_)) (*action)();
  return true;
}

void VirtualClock::run_until(Instant until) {
  while (timers_.next() && *timers_.next() <= until) advance();
  now_ = std::max(now_, until);
}

}  // namespace weft::inline base
