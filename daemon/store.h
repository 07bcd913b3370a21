#pragma once
// Store: where the Ledger and the events survive a restart. It never blocks the loop: what is handed over is
// written by somebody else, and the answer comes back through the loop. Behind it: a SQLite file
// (store_sqlite.h).

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "daemon/event_query.h"
#include "daemon/status.h"
#include "plan/ledger.h"

namespace weft::daemon {

class Store {
 public:
  using Done = std::function<void(Result<void>)>;
  using EventsDone = std::function<void(Result<std::vector<Event>>)>;
  using SweepsDone = std::function<void(Result<std::vector<SweepReport>>)>;

  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  /// Writes what is still waiting.
  virtual ~Store() = default;

  /// Makes this the stored Ledger. Only what differs from the last one stored is written; several calls close
  /// together become one commit, of the last Ledger. `done` is called on the loop when it is safe on disk, or
  /// with the reason why it is not; it is then tried again by itself, and by the next save. May be empty.
  virtual void save(plan::Ledger ledger, Done done) = 0;
  /// Likewise what clients have told the SA; a Ledger's `sa` is not looked at by save().
  virtual void save_sa(plan::SaState state, Done done) = 0;
  /// Likewise the digests of multicast tables.
  virtual void save_multicast(std::shared_ptr<const plan::MftDigestMap> digests, Done done) = 0;
  /// Writes events, ids as they are, with the next commit. The oldest beyond the limit are dropped.
  virtual void append(std::vector<Event> events) = 0;
  /// Likewise the report of a sweep.
  virtual void append_sweep(SweepReport /*report*/) {}
  /// Reads events that match, oldest first; those just appended included. `done` is called on the loop.
  virtual void read_events(EventQuery /*query*/, EventsDone done) { done(std::vector<Event>()); }
  /// Likewise sweeps, oldest first; of more than the limit, the newest.
  virtual void read_sweeps(SweepQuery /*query*/, SweepsDone done) { done(std::vector<SweepReport>()); }
  /// "ok", or why the last commit failed; any thread.
  virtual std::string health() const = 0;
};

}  // namespace weft::daemon
