#pragma once
// SharedMemory: what several managers would have in etcd, in memory: a Ledger and a lock.

#include "daemon/shared_state.h"
#include "tests/whole/whole.h"

namespace weft::test {

/// What etcd would have; answers at once.
struct SharedMemory {
  std::optional<plan::Ledger> ledger;
  const void* owner = nullptr;
  const void* writer = nullptr;
  bool away = false;
};

/// As one manager sees it.
class MemoryShared final : public daemon::SharedState {
 public:
  explicit MemoryShared(SharedMemory& memory) : memory_(memory) {}
  MemoryShared(SharedMemory& memory, MemoryStore& store) : memory_(memory) { follow(store); }
  /// What is saved there is shared from now on.
  void follow(MemoryStore& store) {
    store.kept = [this](const plan::Ledger& ledger) {
      if (memory_.owner != this || memory_.away) return;
      memory_.ledger = ledger;
      memory_.writer = this;
    };
  }
  void take(Guid, std::function<void(Result<Taken>)> done) override {
    if (memory_.away) return done(Taken{});
    if (memory_.owner != nullptr && memory_.owner != this)
      return done(fail(Errc::conflict, "the lock is held by another"));
    memory_.owner = this;
    if (memory_.writer == this) return done(Taken{{}, true});
    done(Taken{memory_.ledger, memory_.ledger.has_value()});
  }
  void leave() override {
    if (memory_.owner == this) memory_.owner = nullptr;
  }
  void on_lost(std::function<void(std::string)> handler) override { lost_ = std::move(handler); }
  /// Another has the lock now.
  void lose(const void* to) {
    memory_.owner = to;
    if (lost_) lost_("another holds the lock");
  }
  /// The lease ends, as that of a process which stands still.
  void expire() {
    if (memory_.owner == this) memory_.owner = nullptr;
  }
  /// The process goes on: the lock is its own again when nobody has taken it.
  void wake(bool was_owner) {
    if (!was_owner || memory_.owner == this) return;
    if (memory_.owner == nullptr && memory_.writer == this) {
      memory_.owner = this;
      return;
    }
    if (lost_) lost_("another holds the lock");
  }
  bool owns() const { return memory_.owner == this; }

 private:
  SharedMemory& memory_;
  std::function<void(std::string)> lost_;
};

}  // namespace weft::test
