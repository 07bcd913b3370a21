#pragma once
// The log of what the daemon itself does.

#include "log/log.h"

namespace weft::daemon {

inline spdlog::logger& daemon_log() {
  static const auto log = log::named("daemon");
  return *log;
}

}  // namespace weft::daemon
