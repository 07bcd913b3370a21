#include "transport/real_clock.h"

namespace weft::transport {

RealClock::RealClock(asio::io_context& loop) : timer_(loop) {}
RealClock::~RealClock() = default;

Instant RealClock::now() const { return std::chrono::steady_clock::now() - start_; }

Clock::TimerId RealClock::at(Instant when, std::function<void()> action) {
  const TimerId id = timers_.add(when, std::move(action));
  arm();
  return id;
}

void RealClock::arm() {
  const std::optional<Instant> next = timers_.next();
  if (!next || *next >= armed_) return;
  armed_ = *next;
  timer_.expires_at(start_ + std::chrono::duration_cast<std::chrono::steady_clock::duration>(*next));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) fire();
  });
}

void RealClock::fire() {
  armed_ = Instant::max();
  const Instant due = now();
  while (auto action = timers_.take_due(due)) (*action)();
  arm();
}

asio::awaitable<void> sleep_for(Clock& clock, Duration wait) {
  auto start = [&clock, wait](Completion<Done> done) {
    auto shared = std::make_shared<Completion<Done>>(std::move(done));
    clock.after(wait, [shared] { (*shared)(Done{}); });
  };
  co_await suspend<Done>(std::move(start));
}

}  // namespace weft::transport
