#include "sim/faults/faults.h"

namespace weft::sim {

Faults::Faults(Network& network) : network_(network), agenda_(network.world().clock()) {
  network_.watch(*this);
}

Faults::~Faults() { network_.unwatch(*this); }

void Faults::at(Times times, Action action) {
  if (times.times == 0) return;
  ++pending_;
  agenda_.after(times.first, [this, times, action = std::move(action), round = round_]() mutable {
    repeat(times, std::move(action), round);
  });
}

void Faults::repeat(Times times, Action action, std::uint32_t round) {
  if (round != round_) return;
  --pending_;
  action(*this);
  if (times.times > 0) --times.times;
  times.first = times.period;
  at(times, std::move(action));
}

void Faults::after(Event event, Action action) { triggers_.push_back({event, std::move(action)}); }

void Faults::forget() {
  triggers_.clear();
  pending_ = 0;
  ++round_;
}

void Faults::handled(NodeIndex n, const mad::Header& request) {
  for (auto trigger = triggers_.begin(); trigger != triggers_.end();) {
    Event& event = trigger->event;
    const bool meant = (!event.node || *event.node == n) &&
                       (!event.attribute || *event.attribute == request.attribute) &&
                       (!event.method || *event.method == request.method);
    if (!meant || --event.count > 0) {
      ++trigger;
      continue;
    }
    at({}, std::move(trigger->action));
    trigger = triggers_.erase(trigger);
  }
}

}  // namespace weft::sim
