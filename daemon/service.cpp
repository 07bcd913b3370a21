#include "daemon/service.h"

#include <systemd/sd-daemon.h>

#include <fmt/format.h>

namespace weft::daemon {

Service::Service(Clock& clock, std::function<bool(Duration)> alive)
    : clock_(clock), alive_(std::move(alive)) {
  std::uint64_t microseconds = 0;
  if (sd_watchdog_enabled(0, &microseconds) > 0) watchdog_ = std::chrono::microseconds(microseconds);
  if (watchdog_ > Duration::zero()) pat();
}

Service::~Service() { clock_.cancel(timer_); }

void Service::pat() {
  if (alive_(watchdog_)) sd_notify(0, "WATCHDOG=1");
  timer_ = clock_.after(watchdog_ / 3, [this] { pat(); });
}

void Service::notify(std::string text) {
  text.insert(0, "STATUS=");
  for (char& c : text)
    if (c == '\n') c = ' ';
  if (!ready_) text += "\nREADY=1";
  ready_ = true;
  if (text == said_) return;
  said_ = text;
  sd_notify(0, text.c_str());
}

void Service::stopping() { sd_notify(0, "STOPPING=1"); }

void Service::reloading() { sd_notify(0, "RELOADING=1\nREADY=1"); }

}  // namespace weft::daemon
