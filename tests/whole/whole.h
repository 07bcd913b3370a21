#pragma once
// Whole: the manager as weftd runs it, on a simulated fabric under virtual time: nothing waits, and a seed
// replays.

#include <functional>
#include <memory>

#include "daemon/event_log.h"
#include "daemon/manager.h"
#include "daemon/store.h"
#include "daemon/workers.h"
#include "sim/judge.h"
#include "sim/network.h"
#include "sim/sim_transport.h"
#include "tests/whole/stoppable.h"
#include "topology/load.h"
#include "transport/run.h"

namespace weft::test {

/// Keeps the last Ledger handed over, as a disk would: what a manager that was killed finds when it starts
/// again. Everything is saved at once, unless it is told to refuse.
class MemoryStore final : public daemon::Store {
 public:
  void save(plan::Ledger ledger, Done done) override;
  void save_sa(plan::SaState state, Done done) override;
  void save_multicast(std::shared_ptr<const plan::MftDigestMap> digests, Done done) override;
  void append(std::vector<daemon::Event>) override {}
  std::string health() const override { return refuses ? "refused" : "ok"; }

  plan::Ledger ledger;
  bool refuses = false;
  std::function<void(const plan::Ledger&)> kept;  ///< Told of what was saved; may be empty.
};

class Whole {
 public:
  explicit Whole(std::string_view blueprint, std::uint64_t seed = 1, sim::NetworkSettings network = {});
  explicit Whole(const topology::Topology& topology, std::uint64_t seed = 1,
                 sim::NetworkSettings network = {});
  ~Whole();

  /// A manager on a host's first port, with this Ledger; one that was there before is gone as if killed.
  daemon::Manager& start(plan::Ledger ledger = {}, config::Settings settings = {},
                         std::string_view host = "");
  void kill();

  /// Full sweeps until clean, at most `tries`.
  daemon::SweepReport bring_up(int tries = 1);
  /// Lets the manager run by itself for a while.
  void run_for(Duration time);
  /// Runs until this holds, for at most `limit` of virtual time; whether it came to hold.
  bool run_until(const std::function<bool()>& holds, Duration limit);
  /// After stop(): runs until the manager has ended, for at most `limit`; whether it has.
  bool run_until_ended(Duration limit);
  /// Runs until the last sweep was clean and faults() says nothing; whether that came.
  bool settle(Duration limit = std::chrono::minutes(1));

  /// Everything linked is Active, everybody reaches everybody, nothing can deadlock; else what is wrong.
  std::string faults() const;
  daemon::Status status() const;
  /// Wall time of managers: it goes with the clock, so that a run can be repeated.
  std::function<std::int64_t()> seconds();
  /// The status names a problem with this in its text.
  bool has_problem(std::string_view text) const;
  sim::NodeIndex node(std::string_view id) const { return world->find(id).value(); }
  std::uint64_t sets() const;

  asio::io_context loop{1};
  VirtualClock clock;
  std::unique_ptr<sim::World> world;
  std::unique_ptr<sim::Network> network;
  std::unique_ptr<daemon::Workers> workers;
  std::unique_ptr<daemon::EventLog> events;
  MemoryStore store;
  std::unique_ptr<transport::Transport> transport;
  std::unique_ptr<daemon::Manager> manager;
  std::string first_host;
  daemon::SharedState* shared = nullptr;  ///< Of the managers started from now on.

 private:
  void build(const topology::Topology& topology, std::uint64_t seed, sim::NetworkSettings settings);
  bool running_ = false;
};

/// A second manager on the fabric of a Whole, at another host; runs while the Whole does. To be destroyed
/// before the Whole.
class Rival {
 public:
  Rival(Whole& whole, std::string_view host, config::Settings settings = {}, plan::Ledger ledger = {},
        daemon::SharedState* shared = nullptr);
  ~Rival() { stop(); }
  Rival(const Rival&) = delete;
  Rival& operator=(const Rival&) = delete;

  /// Gone, and IsSM with it.
  void stop();
  /// As by SIGSTOP and SIGCONT.
  void freeze();
  void thaw();
  daemon::Manager& manager() { return *manager_; }
  daemon::Status status() const;
  MemoryStore store;

 private:
  Whole& whole_;
  StoppableClock clock_;
  std::unique_ptr<daemon::InlineWorkers> workers_;
  std::unique_ptr<StoppableTransport> transport_;
  std::unique_ptr<daemon::Manager> manager_;
  bool running_ = true;
};

}  // namespace weft::test
