#pragma once
// Faults: when something goes wrong: at a time, again and again, or right after an agent has done a thing for
// the third time. What goes wrong is an Action (sim/faults/action.h, or a lambda in a test) on the Network
// and its World; chance comes from the World's seed, so a run repeats.

#include <functional>
#include <list>
#include <optional>

#include "sim/agenda.h"
#include "sim/network.h"

namespace weft::sim {

class Faults;
using Action = std::function<void(Faults&)>;

/// A request that some agent has handled; an empty field stands for any.
struct Event {
  std::optional<NodeIndex> node;
  std::optional<mad::AttrId> attribute;
  std::optional<mad::Method> method;
  int count = 1;  ///< The how manieth.
};

/// From `first` on, every `period`, `times` times (negative: without an end).
struct Times {
  Duration first{};
  Duration period{};
  int times = 1;
};

class Faults final : private Watcher {
 public:
  explicit Faults(Network& network);
  ~Faults() override;

  Network& network() { return network_; }
  World& world() { return network_.world(); }

  void now(const Action& action) { action(*this); }
  /// Counted from now.
  void at(Times times, Action action);
  /// The agent's answer is on its way when it happens.
  void after(Event event, Action action);
  /// What is still to come is forgotten; what has been done stays.
  void forget();
  /// Whether something is still to come.
  bool pending() const { return pending_ > 0 || !triggers_.empty(); }

 private:
  struct Trigger {
    Event event;
    Action action;
  };
  void handled(NodeIndex n, const mad::Header& request) override;
  void repeat(Times times, Action action, std::uint32_t round);

  Network& network_;
  Agenda agenda_;
  std::list<Trigger> triggers_;
  std::size_t pending_ = 0;
  std::uint32_t round_ = 0;  // forget() starts a new one
};

}  // namespace weft::sim
