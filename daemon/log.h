#pragma once
// The logs of what the daemon itself does, and its subnet administration.

#include "log/log.h"

namespace weft::daemon {

inline spdlog::logger& daemon_log() {
  static const auto log = log::named("daemon");
  return *log;
}

inline spdlog::logger& sa_log() {
  static const auto log = log::named("sa");
  return *log;
}

}  // namespace weft::daemon
