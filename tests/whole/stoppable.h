#pragma once
// A manager's process that can be stopped (SIGSTOP) and go on: its clock's timers wait, what is sent to it
// waits in the kernel's queue, and both come at once when it goes on.

#include <deque>
#include <map>

#include "base/clock.h"
#include "sim/network.h"
#include "transport/transport.h"

namespace weft::test {

class StoppableClock final : public Clock {
 public:
  explicit StoppableClock(Clock& inner) : inner_(inner) {}
  ~StoppableClock() override;
  Instant now() const override { return inner_.now(); }
  TimerId at(Instant when, std::function<void()> action) override;
  void cancel(TimerId id) override;
  void stop() { stopped_ = true; }
  void go_on();

 private:
  struct Waiting {
    TimerId inner = TimerId::none;
    std::function<void()> action;
  };
  void fire(TimerId id);

  Clock& inner_;
  std::map<TimerId, Waiting> waiting_;
  std::vector<TimerId> due_;
  std::uint64_t last_ = 0;
  bool stopped_ = false;
};

class StoppableTransport final : public transport::Transport, private sim::Endpoint {
 public:
  StoppableTransport(sim::Network& network, std::string_view node, Clock& clock);
  ~StoppableTransport() override;
  Result<void> send(const mad::Mad& mad) override;
  const transport::LocalPort& local_port() const override { return local_; }
  Result<void> set_is_sm(bool on) override;
  void close() override;
  void stop() { stopped_ = true; }
  void go_on();

 private:
  void receive(const mad::Mad& mad) override;
  void device_lost(const Error& why) override;

  sim::Network& network_;
  transport::LocalPort local_;
  sim::Network::ClientId client_;
  std::deque<mad::Mad> queued_;
  bool attached_ = true;
  bool stopped_ = false;
};

}  // namespace weft::test
