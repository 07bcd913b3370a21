#include "daemon/causes.h"

#include <algorithm>

#include <fmt/format.h>

namespace weft::daemon {
namespace {

void forget_doubles(std::vector<Guid>& places) {
  std::ranges::sort(places);
  const auto twice = std::ranges::unique(places);
  places.erase(twice.begin(), twice.end());
}

}  // namespace

Causes::~Causes() {
  clock_.cancel(settle_);
  clock_.cancel(later_);
}

void Causes::set_debounce(Duration debounce, Duration debounce_max) {
  debounce_ = debounce;
  debounce_max_ = debounce_max;
}

void Causes::add(Cause cause) {
  if (waiting_.empty()) first_ = clock_.now();
  waiting_.push_back(std::move(cause));
  arm();
}

/// The burst has settled when nothing came for a debounce, or when it has lasted long enough.
void Causes::arm() {
  clock_.cancel(settle_);
  ready_ = false;
  const Instant when = std::min(clock_.now() + debounce_, first_ + debounce_max_);
  settle_ = clock_.at(when, [this] {
    ready_ = true;
    wake();
  });
}

void Causes::add_later(Duration wait, Cause cause) {
  clock_.cancel(later_);
  later_ = Clock::TimerId::none;
  if (wait <= Duration::zero()) return;
  later_ = clock_.after(wait, [this, c = std::move(cause)] {
    later_ = Clock::TimerId::none;
    add(c);
  });
}

void Causes::stop() {
  stopped_ = true;
  wake();
}

void Causes::wake() {
  if (taker_) taker_(transport::Done{});
}

asio::awaitable<transport::Done> Causes::settled() {
  return transport::suspend<transport::Done>([this](transport::Completion<transport::Done> done) {
    taker_ = std::move(done);
    if (ready_ || stopped_) wake();
  });
}

asio::awaitable<std::optional<Cause>> Causes::take() {
  co_await settled();
  if (stopped_) co_return std::nullopt;
  ready_ = false;
  std::vector<Cause> taken = std::exchange(waiting_, {});
  const auto any = [&taken](SweepKind kind) {
    return std::ranges::any_of(taken, [kind](const Cause& one) { return one.kind == kind; });
  };
  const auto looks = [](const Cause& one) { return !one.only_names; };
  Cause cause;
  cause.names = std::ranges::any_of(taken, &Cause::names);
  cause.only_names = cause.names && std::ranges::none_of(taken, looks);
  cause.kind = any(SweepKind::full)    ? SweepKind::full
               : any(SweepKind::local) ? SweepKind::local
                                       : SweepKind::light;
  cause.narrow = cause.kind == SweepKind::light && !taken.empty() &&
                 std::ranges::all_of(taken, [](const Cause& one) { return one.narrow || one.only_names; });
  std::vector<std::string> named;
  for (Cause& one : taken) {
    const bool joins =
        one.kind == cause.kind || cause.kind == SweepKind::full || !one.places.empty() || one.only_names;
    if (!joins) {
      add(std::move(one));
      continue;
    }
    std::vector<Guid>& into = cause.kind == SweepKind::local && one.narrow ? cause.brief : cause.places;
    into.insert(into.end(), one.places.begin(), one.places.end());
    if (!one.text.empty() && std::ranges::find(named, one.text) == named.end()) named.push_back(one.text);
  }
  forget_doubles(cause.places);
  forget_doubles(cause.brief);
  for (std::size_t i = 0; i < named.size() && i < 3; ++i) cause.text += (i == 0 ? "" : "; ") + named[i];
  if (named.size() > 3) cause.text += fmt::format("; and {} more", named.size() - 3);
  co_return cause;
}

}  // namespace weft::daemon
