#pragma once
// Service: what systemd is told: ready, what we are at, alive. Silent where there is no systemd.

#include <string>

#include "base/clock.h"
#include "daemon/status.h"

namespace weft::daemon {

class Service {
 public:
  explicit Service(Clock& clock);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// READY=1 the first time; the state as STATUS= whenever it changes.
  void notify(const Status& status);
  void stopping();
  void reloading();

 private:
  void pat();

  Clock& clock_;
  Duration watchdog_{};  ///< 0: systemd watches nobody.
  Clock::TimerId timer_ = Clock::TimerId::none;
  bool ready_ = false;
  std::string said_;
};

}  // namespace weft::daemon
