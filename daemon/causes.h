#pragma once
// Causes: why the next sweep is due. A burst settles first and becomes one sweep; what arrives during a sweep
// starts the next one. Never two sweeps back to back without a cause.

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "daemon/status.h"
#include "transport/asio.h"

namespace weft::daemon {

struct Cause {
  SweepKind kind = SweepKind::light;
  std::string text;
  /// Of a local one: switches whose ports have changed. Of a narrow light one: switches that are asked.
  std::vector<Guid> places{};
  /// Of a local one: switches that are asked whether a port of theirs has changed, and looked at when it has.
  std::vector<Guid> brief{};
  /// Of a light one: `places` and the end ports that told of a change are asked, and nobody else.
  bool narrow = false;
  /// NodeDescriptions that were told of are read; nothing else where `only_names`.
  bool names = false;
  bool only_names = false;
};

class Causes {
 public:
  Causes(Clock& clock, Duration debounce, Duration debounce_max)
      : clock_(clock), debounce_(debounce), debounce_max_(debounce_max) {}
  ~Causes();
  Causes(const Causes&) = delete;
  Causes& operator=(const Causes&) = delete;

  void set_debounce(Duration debounce, Duration debounce_max);
  void add(Cause cause);
  /// A cause for later; a new call replaces the last one's time and cause. 0 or less: none.
  void add_later(Duration wait, Cause cause);
  /// Whether a cause for later waits.
  bool has_later() const { return later_ != Clock::TimerId::none; }
  /// Wakes take() with nothing, now and from then on.
  void stop();
  /// Waits for a cause and lets the burst settle: full when any asks for it; else all local ones as one, and
  /// the light ones after it but those of certain switches, narrow only when all are; what is only about
  /// names goes with any; texts joined, at most three named. Nothing after stop().
  asio::awaitable<std::optional<Cause>> take();

 private:
  asio::awaitable<transport::Done> settled();
  void arm();
  void wake();

  Clock& clock_;
  Duration debounce_;
  Duration debounce_max_;
  std::vector<Cause> waiting_;
  Instant first_{};
  Clock::TimerId settle_ = Clock::TimerId::none;
  Clock::TimerId later_ = Clock::TimerId::none;
  bool ready_ = false;
  bool stopped_ = false;
  transport::Completion<transport::Done> taker_;
};

}  // namespace weft::daemon
