#include "daemon/expected_check.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace weft::daemon {
namespace {

/// So many deviations are problems and events of their own.
constexpr std::size_t kToldOneByOne = 20;

}  // namespace

std::string sentence_of(const plan::Deviation& one) {
  return one.mend.empty() ? one.what : fmt::format("{}; {}", one.what, one.mend);
}

ExpectedCheck::ExpectedCheck(Workers& workers, Tell tell) : state_(std::make_shared<State>()) {
  state_->workers = &workers;
  state_->tell = std::move(tell);
}

void ExpectedCheck::follow(std::shared_ptr<const plan::View> view, Topology expected) {
  State& state = *state_;
  const bool same_fabric = view && state.view && view->fabric == state.view->fabric;
  if (same_fabric && expected == state.expected) return;
  state.view = std::move(view);
  state.expected = std::move(expected);
  if (!state.view || !state.expected) {
    state.told.reset();
    return;
  }
  state.again = state.running;
  if (!state.running) start(state_);
}

/// The answer of a check that is gone, or of what is not to be compared any more, falls away.
void ExpectedCheck::start(const std::shared_ptr<State>& state) {
  state->running = true;
  const auto now = std::make_shared<std::shared_ptr<const Deviations>>();
  state->workers->run(
      [now, view = state->view, expected = state->expected] {
        *now = std::make_shared<const Deviations>(plan::deviations(*view->fabric, *expected));
      },
      [now, weak = std::weak_ptr<State>(state)] {
        const auto here = weak.lock();
        if (!here) return;
        here->running = false;
        const bool again = std::exchange(here->again, false);
        if (!here->view || !here->expected) return;
        if (again) return start(here);
        take(*here, std::move(*now));
      });
}

void ExpectedCheck::take(State& state, std::shared_ptr<const Deviations> now) {
  const auto before = std::exchange(state.told, std::move(now));
  std::size_t fresh = 0;
  for (const plan::Deviation& one : *state.told) {
    if (before && std::ranges::find(*before, one) != before->end()) continue;
    if (++fresh <= kToldOneByOne) state.tell(Severity::warning, sentence_of(one), one.place);
  }
  if (fresh > kToldOneByOne)
    state.tell(
        Severity::warning,
        fmt::format("{} more deviations from the expected topology: weftctl expected", fresh - kToldOneByOne),
        {});
  if (before && !before->empty() && state.told->empty())
    state.tell(Severity::info, "the fabric is as expected again", {});
}

std::vector<Problem> ExpectedCheck::problems() const {
  static const std::string kTodo = "Mend the cables as it says, or write the file anew; all of them:";
  static const std::string kCommand = "weftctl expected";
  std::vector<Problem> problems;
  if (!state_->told) return problems;
  const Deviations& all = *state_->told;
  for (std::size_t i = 0; i < std::min(all.size(), kToldOneByOne); ++i)
    problems.push_back({all[i].place.node, sentence_of(all[i]), kTodo, kCommand});
  if (all.size() > kToldOneByOne)
    problems.push_back({{},
                        fmt::format("{} more deviations from the expected topology: weftctl expected",
                                    all.size() - kToldOneByOne),
                        kTodo,
                        kCommand});
  return problems;
}

}  // namespace weft::daemon
