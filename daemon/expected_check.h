#pragma once
// ExpectedCheck: each new View held against the topology of the configuration (plan/expected.h), on the
// workers. What comes is an event and a problem in status, until it is mended.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daemon/status.h"
#include "daemon/workers.h"
#include "plan/expected.h"
#include "plan/view.h"

namespace weft::daemon {

class ExpectedCheck {
 public:
  using Topology = std::shared_ptr<const topology::Topology>;
  using Tell = std::function<void(Severity, std::string text, plan::Plug place)>;
  ExpectedCheck(Workers& workers, Tell tell);

  /// Compares, unless that is what was compared last. While one comparison runs, the newest View waits.
  void follow(std::shared_ptr<const plan::View> view, Topology expected);
  /// Of the last comparison; null without a topology or before the first has ended.
  std::shared_ptr<const std::vector<plan::Deviation>> deviations() const { return state_->told; }
  /// The first of them, and how many more there are.
  std::vector<Problem> problems() const;

 private:
  using Deviations = std::vector<plan::Deviation>;
  struct State {
    Workers* workers = nullptr;
    Tell tell;
    std::shared_ptr<const plan::View> view;
    Topology expected;
    bool running = false;
    bool again = false;
    std::shared_ptr<const Deviations> told;
  };
  static void start(const std::shared_ptr<State>& state);
  static void take(State& state, std::shared_ptr<const Deviations> now);

  std::shared_ptr<State> state_;
};

/// "what; mend"
std::string sentence_of(const plan::Deviation& one);

}  // namespace weft::daemon
