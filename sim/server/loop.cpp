#include "sim/server/loop.h"

#include <sys/epoll.h>
#include <ctime>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace weft::sim {
namespace {

constexpr std::size_t kEvents = 64;  // handled in one turn
constexpr Duration kLongest = std::chrono::hours(1);

timespec to_timespec(Duration wait) {
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(wait);
  return {static_cast<std::time_t>(whole.count()), static_cast<long>((wait - whole).count())};
}

}  // namespace

Loop::Loop() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (epoll_.get() < 0) throw std::runtime_error(std::string("epoll_create1: ") + std::strerror(errno));
  start_ = std::chrono::steady_clock::now().time_since_epoch();
}

void Loop::read_time() { now_ = std::chrono::steady_clock::now().time_since_epoch() - start_; }

Result<void> Loop::watch(int fd, std::uint32_t events, Ready ready) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0)
    return fail(Errc::system, "epoll_ctl: {}", std::strerror(errno));
  watched_[fd] = std::make_shared<Ready>(std::move(ready));
  return {};
}

void Loop::change(int fd, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

void Loop::rest(int fd, std::uint32_t events, Duration wait) {
  change(fd, 0);
  after(wait, [this, fd, events] {
    if (watched_.contains(fd)) change(fd, events);
  });
}

void Loop::forget(int fd) {
  if (watched_.erase(fd) > 0) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

void Loop::turn(Duration limit) {
  read_time();
  Duration wait = std::min(limit, kLongest);
  if (const std::optional<Instant> next = timers_.next()) wait = std::min(wait, std::max(*next - now_, {}));
  const timespec timeout = to_timespec(wait);
  std::array<epoll_event, kEvents> events{};
  const int count = ::epoll_pwait2(epoll_.get(), events.data(), kEvents, &timeout, nullptr);
  read_time();
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    const auto found = watched_.find(event.data.fd);
    if (found == watched_.end()) continue;  // forgotten by one before it
    const std::shared_ptr<Ready> ready = found->second;
    (*ready)(event.events);
  }
  while (auto action = timers_.take_due(now_)) (*action)();
  if (end_of_turn_) end_of_turn_();
}

void Loop::run() {
  stopped_ = false;
  while (!stopped_) turn();
}

}  // namespace weft::sim
