#include "daemon/status.h"

namespace weft::daemon {

std::string_view name(State state) {
  switch (state) {
    case State::waiting_for_device:
      return "waiting for device";
    case State::discovering:
      return "discovering";
    case State::standby:
      return "standby";
    case State::disabled:
      return "disabled";
    case State::master:
      return "master";
    case State::failed:
      return "failed";
    case State::stopping:
      return "stopping";
  }
  return "?";
}

std::string_view name(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "?";
}

std::string_view name(SweepKind kind) {
  switch (kind) {
    case SweepKind::full:
      return "full";
    case SweepKind::light:
      return "light";
    case SweepKind::local:
      return "local";
  }
  return "?";
}

}  // namespace weft::daemon
