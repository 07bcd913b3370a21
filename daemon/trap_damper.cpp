#include "daemon/trap_damper.h"

#include <algorithm>

namespace weft::daemon {
namespace {

/// Between two brief looks at one source.
constexpr Duration kPause = std::chrono::milliseconds(50);
/// Traps of all sources in a second: more, and all are acted on briefly.
constexpr int kManyInAll = 200;
constexpr Duration kMinute = std::chrono::minutes(1);

}  // namespace

TrapDamper::TrapDamper(Clock& clock, config::TrapSettings settings, Told told)
    : clock_(clock), settings_(settings), told_(std::move(told)) {}

TrapDamper::~TrapDamper() {
  clock_.cancel(minute_);
  for (auto& [key, source] : sources_) clock_.cancel(source.timer);
}

/// A storm begins with the first trap beyond the limit, and ends when a window has passed with fewer.
void TrapDamper::count(Source& source) {
  const Instant now = clock_.now();
  if (source.in_minute == 0 && source.in_window == 0) source.window = now;
  if (now - source.window >= settings_.window) {
    const bool silent = now - source.window >= 2 * settings_.window;
    source.storm = source.storm && !silent && source.in_window > settings_.limit;
    source.window = now;
    source.in_window = 0;
  }
  ++source.in_window;
  ++source.in_minute;
  source.storm |= source.in_window > settings_.limit;
  source.had_storm |= source.storm;
}

bool TrapDamper::too_many_in_all() {
  const Instant now = clock_.now();
  if (now - second_ >= std::chrono::seconds(1)) {
    second_ = now;
    in_second_ = 0;
  }
  return ++in_second_ > kManyInAll;
}

void TrapDamper::act_on(Source& source, const Act& act, bool brief) {
  source.not_before = clock_.now() + kPause;
  act(brief);
}

void TrapDamper::heard(Lid source_lid, mad::TrapNumber trap, Act act) {
  if (minute_ == Clock::TimerId::none) minute_ = clock_.after(kMinute, [this] { end_minute(); });
  Source& source = sources_[{source_lid, trap}];
  count(source);
  const bool many = too_many_in_all();
  if (!act) return;
  if (!source.storm && !many) return act_on(source, act, false);
  if (source.timer != Clock::TimerId::none) {
    source.act = std::move(act);
    return;
  }
  if (clock_.now() >= source.not_before) return act_on(source, act, true);
  source.act = std::move(act);
  act_later(source);
}

void TrapDamper::act_later(Source& source) {
  source.timer = clock_.at(source.not_before, [this, &source] {
    source.timer = Clock::TimerId::none;
    if (clock_.now() < source.not_before) return act_later(source);
    const Act due = std::exchange(source.act, {});
    act_on(source, due, true);
  });
}

void TrapDamper::was_so(Lid source_lid, mad::TrapNumber trap) {
  const auto found = sources_.find({source_lid, trap});
  if (found != sources_.end())
    found->second.not_before = std::max(found->second.not_before, clock_.now() + settings_.interval);
}

/// Tells of the minute's storms and forgets who was silent.
void TrapDamper::end_minute() {
  minute_ = Clock::TimerId::none;
  std::vector<Storm> storms;
  for (auto& [key, source] : sources_) {
    if (source.had_storm) storms.push_back({key.first, key.second, source.in_minute});
    source.had_storm = false;
  }
  std::erase_if(sources_, [](const auto& entry) {
    return entry.second.in_minute == 0 && entry.second.timer == Clock::TimerId::none;
  });
  for (auto& [key, source] : sources_) source.in_minute = 0;
  if (!sources_.empty()) minute_ = clock_.after(kMinute, [this] { end_minute(); });
  std::ranges::sort(storms, [](const Storm& a, const Storm& b) {
    return std::tuple(b.traps, a.source, a.trap) < std::tuple(a.traps, b.source, b.trap);
  });
  if (!storms.empty()) told_(storms);
}

}  // namespace weft::daemon
