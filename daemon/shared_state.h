#pragma once
// SharedState: what a manager asks of the state that several share, and of the lock on it, which is a second
// fence against two masters beside SMInfo. Behind it: etcd (replica.h), or memory in tests.

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "plan/ledger.h"

namespace weft::daemon {

class SharedState {
 public:
  struct Taken {
    /// The shared part of the Ledger, registrations included, to be used instead of ours; nothing: ours is
    /// the newest.
    std::optional<plan::Ledger> ledger;
    /// What we go on from holds all that was ever confirmed to a client, so that none has to register again.
    bool current = false;
  };

  SharedState() = default;
  SharedState(const SharedState&) = delete;
  SharedState& operator=(const SharedState&) = delete;
  virtual ~SharedState() = default;

  /// We are to be master, through this port: takes the lock and reads. Waits for the lock of a manager that
  /// has died to end. `done` is called on the loop. Where the shared state is not to be reached, we are
  /// master without it. Errors: `conflict` when another manager holds the lock, and keeps it; `cancelled`.
  virtual void take(Guid port, std::function<void(Result<Taken>)> done) = 0;
  /// We are not master, or not sure of it any more: the lock is given up.
  virtual void leave() = 0;
  /// Called on the loop when another manager has taken the lock while we were master: we must not write any
  /// more.
  virtual void on_lost(std::function<void(std::string why)> handler) = 0;
};

}  // namespace weft::daemon
