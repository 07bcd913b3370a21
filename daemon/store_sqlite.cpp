#include "daemon/store_sqlite.h"

#include <condition_variable>
#include <iterator>
#include <mutex>
#include <thread>

#include <boost/asio/prefer.hpp>

#include "daemon/store_file.h"

namespace weft::daemon {

namespace {

constexpr std::size_t kMostWaitingEvents = 10'000;  // kept for another try while the file cannot be written

class SqliteStore final : public Store {
 public:
  SqliteStore(Database database, plan::Ledger saved, const StoreOptions& options, asio::any_io_executor loop)
      : options_(options),
        loop_(std::move(loop)),
        database_(std::move(database)),
        saved_(std::move(saved)),
        thread_([this] { run(); }) {}

  ~SqliteStore() override {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

  void save(plan::Ledger ledger, Done done) override {
    // The loop must not end before an answer that somebody waits for.
    auto tracked = asio::prefer(loop_, asio::execution::outstanding_work.tracked);
    const std::lock_guard lock(mutex_);
    waiting_.ledger = std::move(ledger);
    if (done) waiting_.done.push_back({std::move(tracked), std::move(done)});
    wake();
  }

  void append(std::vector<Event> events) override {
    const std::lock_guard lock(mutex_);
    waiting_.events.insert(waiting_.events.end(), std::make_move_iterator(events.begin()),
                           std::make_move_iterator(events.end()));
    wake();
  }

  std::string health() const override {
    const std::lock_guard lock(mutex_);
    return health_;
  }

 private:
  struct Waiter {
    asio::any_io_executor loop;
    Done done;
  };
  struct Batch {
    std::optional<plan::Ledger> ledger;
    std::vector<Event> events;
    std::vector<Waiter> done;
  };

  void wake() {
    work_ = true;
    changed_.notify_one();
  }

  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return work_ || stop_; });
      if (!stop_) changed_.wait_for(lock, options_.group, [this] { return stop_; });
      if (!std::exchange(work_, false)) return;  // nothing waits, so we were told to stop
      Batch batch = std::exchange(waiting_, {});
      lock.unlock();
      const Result<void> written = commit(batch);
      lock.lock();
      health_ = written ? "ok" : written.error().what;  // before the answer: who gets it may ask
      if (!written) keep_events(std::move(batch.events));
      answer(std::move(batch.done), written);
    }
  }

  Result<void> commit(const Batch& batch) {
    auto transaction = Transaction::begin(database_);
    if (!transaction) return fail(transaction.error());
    const plan::Ledger& ledger = batch.ledger ? *batch.ledger : saved_;
    auto ledger_written = write_ledger(database_, saved_, ledger);
    if (!ledger_written) return ledger_written;
    auto events_written = write_events(database_, batch.events, options_.events_kept);
    if (!events_written) return events_written;
    auto committed = transaction->commit();
    if (!committed) return committed;
    if (batch.ledger) saved_ = *batch.ledger;
    return {};
  }

  static void answer(std::vector<Waiter> waiters, const Result<void>& written) {
    for (Waiter& waiter : waiters) {
      auto loop = std::move(waiter.loop);
      asio::post(loop, [done = std::move(waiter.done), written] { done(written); });
    }
  }

  /// They come before what was handed over meanwhile, and go with the next commit.
  void keep_events(std::vector<Event> events) {
    std::swap(events, waiting_.events);
    waiting_.events.insert(waiting_.events.end(), std::make_move_iterator(events.begin()),
                           std::make_move_iterator(events.end()));
    if (waiting_.events.size() > kMostWaitingEvents) {
      waiting_.events.erase(waiting_.events.begin(), waiting_.events.end() - kMostWaitingEvents);
    }
  }

  const StoreOptions options_;
  const asio::any_io_executor loop_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Batch waiting_;
  std::string health_ = "ok";
  bool work_ = false;
  bool stop_ = false;
  // The thread's own, once it runs.
  Database database_;
  plan::Ledger saved_;
  std::thread thread_;
};

}  // namespace

Result<OpenedStore> open_sqlite_store(const StoreOptions& options, asio::any_io_executor loop) {
  auto file = open_state_file(options.directory, options.events_loaded);
  if (!file) return fail(file.error());
  OpenedStore opened;
  opened.ledger = file->ledger;
  opened.events = std::move(file->events);
  opened.notes = std::move(file->notes);
  opened.store = std::make_unique<SqliteStore>(std::move(file->database), std::move(file->ledger), options,
                                               std::move(loop));
  return opened;
}

}  // namespace weft::daemon
