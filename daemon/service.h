#pragma once
// Service: what systemd is told: ready, what we are at, alive. Silent where there is no systemd.

#include <functional>
#include <string>

#include "base/clock.h"

namespace weft::daemon {

class Service {
 public:
  /// `alive`: asked before systemd is told so, with the time within which that must have shown.
  Service(Clock& clock, std::function<bool(Duration)> alive);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// READY=1 the first time; the text as STATUS= whenever it changes. Any thread, one at a time.
  void notify(std::string text);
  void stopping();
  void reloading();

 private:
  void pat();

  Clock& clock_;
  std::function<bool(Duration)> alive_;
  Duration watchdog_{};  ///< 0: systemd watches nobody.
  Clock::TimerId timer_ = Clock::TimerId::none;
  bool ready_ = false;
  std::string said_;
};

}  // namespace weft::daemon
