#include "daemon/status.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

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

std::string sentence_of(const SharedStatus& shared) {
  const std::string since =
      shared.since ? fmt::format(" since {:%Y-%m-%dT%H:%M:%SZ}: {}",
                                 std::chrono::floor<std::chrono::seconds>(*shared.since), shared.why)
                   : std::string();
  switch (shared.state) {
    case SharedStatus::State::none:
      return "";
    case SharedStatus::State::standby:
      return fmt::format("etcd has the state up to change {}", shared.change);
    case SharedStatus::State::unreachable:
      return "etcd is not to be reached" + since;
    case SharedStatus::State::replicated:
      return fmt::format("replicated, change {}", shared.change);
    case SharedStatus::State::catching_up:
      return "being written to etcd";
    case SharedStatus::State::not_replicated:
      return "not replicated" + since;
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
