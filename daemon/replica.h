#pragma once
// Replica: the shared state in etcd, on a thread of its own, so that the loop never waits for it. Takes what
// the manager keeps, writes the newest when the last is written, keeps the lock while we are master, and says
// how things stand. What etcd has is confirmed only when it has it; while it is away, or not in step yet, the
// state file alone answers for it, and status says since when.

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "daemon/shared_copy.h"
#include "daemon/status.h"
#include "daemon/store.h"
#include "transport/asio.h"

namespace weft::daemon {

class Replica final : public SharedState {
 public:
  /// A sentence for people, on the loop.
  using Tell = std::function<void(Severity, std::string kind, std::string text)>;

  /// `ours`: what the state file holds. `loop` must outlive it. Errors: of SharedCopy::open.
  static Result<std::unique_ptr<Replica>> start(SharedOptions options, const plan::Ledger& ours,
                                                asio::any_io_executor loop, Tell tell);
  /// Writes what is still waiting, and gives the lock up, where etcd answers soon.
  ~Replica() override;

  void take(Guid port, std::function<void(Result<Taken>)> done) override;
  void leave() override;
  void on_lost(std::function<void(std::string)> handler) override;

  /// The Ledger but for its `sa`.
  void save(const plan::Ledger& ledger);
  /// `done`, on the loop: etcd has it, or cannot be waited for. Errors: `conflict` when another is master.
  void save_sa(const plan::SaState& state, Store::Done done);

  /// The port that we manage from, as others are to know it.
  void set_port(Guid port);
  void set_digests(std::map<std::string, std::string> digests);
  SharedStatus status() const;
  /// Other managers that etcd knows of, and ourselves.
  std::vector<Presence> others() const;

 private:
  using Clock = std::chrono::steady_clock;
  enum class Role { idle, taking, master, lost };
  struct Handlers {
    Tell tell;
    std::function<void(std::string)> lost;
  };
  Replica(std::unique_ptr<SharedCopy> copy, const plan::Ledger& ours, asio::any_io_executor loop, Tell tell);

  void run();
  void serve(std::unique_lock<std::mutex>& lock);
  void take_now(std::unique_lock<std::mutex>& lock);
  void end_take(Result<Taken> taken);
  void write_now(std::unique_lock<std::mutex>& lock);
  void renew_now(std::unique_lock<std::mutex>& lock);
  void recover_now(std::unique_lock<std::mutex>& lock);
  void came_of(const Result<void>& done);
  void cut_off(const Error& why);
  void reached();
  void answer(const Result<void>& with);
  void take_back(std::vector<Store::Done> waiters);
  void tell(Severity severity, std::string kind, std::string text);
  template <typename Call>
  auto unlocked(std::unique_lock<std::mutex>& lock, const Call& call);

  const asio::any_io_executor loop_;
  const std::shared_ptr<Handlers> handlers_;  ///< Of the loop.
  const Duration lease_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Role role_ = Role::idle;
  plan::Ledger wanted_;
  bool work_ = false;
  bool leave_ = false;
  bool in_step_ = false;  ///< What is saved now is waited for.
  bool stop_ = false;
  bool ended_ = false;
  std::optional<std::map<std::string, std::string>> digests_;
  std::optional<Guid> port_;
  std::function<void(Result<Taken>)> take_done_;
  std::vector<Store::Done> waiters_;
  std::optional<WallTime> away_since_;
  std::string away_why_;
  std::int64_t seq_ = 0;
  std::vector<Presence> others_;
  Clock::time_point renew_at_{};
  Clock::time_point retry_at_{};
  std::unique_ptr<SharedCopy> copy_;    ///< The thread's own; not under the mutex.
  std::unique_ptr<SharedWatch> watch_;  ///< Likewise; while we are not master.
  std::thread thread_;
};

}  // namespace weft::daemon
