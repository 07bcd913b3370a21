#pragma once
// FlightWindow: how many packets are on the wire at once. A packet that has been out for `hold` is no longer
// on the wire, whatever became of it: it gives its place back while its sender goes on waiting, so mute nodes
// never take the window from the others.

#include <deque>

#include "base/clock.h"
#include "transport/gate.h"

namespace weft::transport {

class FlightWindow {
 public:
  using Flight = std::uint64_t;

  FlightWindow(Clock& clock, int limit, Duration hold) : clock_(clock), gate_(limit), hold_(hold) {}
  ~FlightWindow() { clock_.cancel(timer_); }
  FlightWindow(const FlightWindow&) = delete;
  FlightWindow& operator=(const FlightWindow&) = delete;

  bool try_enter() { return gate_.try_enter(); }
  asio::awaitable<Done> enter();
  /// After entering, when the packet goes out.
  Flight depart();
  /// Answered or given up.
  void land(Flight flight);
  int on_the_wire() const { return gate_.inside(); }
  void set_limit(int limit) { gate_.set_limit(limit); }
  int limit() const { return gate_.limit(); }

 private:
  struct Entry {
    Instant since;
    bool open = true;
  };
  void drop_closed();
  void watch();
  void expire();

  Clock& clock_;
  Gate gate_;
  Duration hold_;
  std::deque<Entry> flights_;  // by departure; front is number first_
  Flight first_ = 0;
  Clock::TimerId timer_ = Clock::TimerId::none;
};

}  // namespace weft::transport
