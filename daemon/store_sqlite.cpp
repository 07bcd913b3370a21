#include "daemon/store_sqlite.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <sys/stat.h>

#include <boost/asio/prefer.hpp>

#include "daemon/store_file.h"
#include "daemon/store_history.h"
#include "log/log.h"

namespace weft::daemon {

namespace {

constexpr std::size_t kMostWaitingEvents = 10'000;  // kept for another try while the file cannot be written

/// Device and inode; nothing when there is no file.
using FileId = std::optional<std::pair<dev_t, ino_t>>;

FileId file_id(const std::filesystem::path& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return std::pair(info.st_dev, info.st_ino);
}

class SqliteStore final : public Store {
 public:
  SqliteStore(Database database, plan::Ledger saved, const StoreOptions& options, asio::any_io_executor loop)
      : options_(options),
        loop_(std::move(loop)),
        path_(state_file(options.directory)),
        database_(std::move(database)),
        file_(file_id(path_)),
        saved_(std::move(saved)),
        wanted_(saved_),
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

  void save_sa(plan::SaState state, Done done) override {
    auto tracked = asio::prefer(loop_, asio::execution::outstanding_work.tracked);
    const std::lock_guard lock(mutex_);
    waiting_.sa = std::move(state);
    if (done) waiting_.done.push_back({std::move(tracked), std::move(done)});
    wake();
  }

  void save_multicast(std::shared_ptr<const plan::MftDigestMap> digests, Done done) override {
    auto tracked = asio::prefer(loop_, asio::execution::outstanding_work.tracked);
    const std::lock_guard lock(mutex_);
    waiting_.multicast = std::move(digests);
    if (done) waiting_.done.push_back({std::move(tracked), std::move(done)});
    wake();
  }

  void append(std::vector<Event> events) override {
    const std::lock_guard lock(mutex_);
    waiting_.events.insert(waiting_.events.end(), std::make_move_iterator(events.begin()),
                           std::make_move_iterator(events.end()));
    wake();
  }

  void append_sweep(SweepReport report) override {
    const std::lock_guard lock(mutex_);
    waiting_.sweeps.push_back(std::move(report));
    wake();
  }

  void read_events(EventQuery query, EventsDone done) override {
    auto reader = std::make_shared<EventReader>(std::move(query));
    add_read([reader](Database& database) { return reader->step(database); },
             [reader, done = std::move(done)](const Result<void>& read) {
               done(read ? Result<std::vector<Event>>(std::move(*reader).found()) : fail(read.error()));
             });
  }

  void read_sweeps(SweepQuery query, SweepsDone done) override {
    auto found = std::make_shared<Result<std::vector<SweepReport>>>();
    add_read(
        [found, query = std::move(query)](Database& database) -> Result<bool> {
          *found = daemon::read_sweeps(database, query);
          return true;
        },
        [found, done = std::move(done)](const Result<void>&) { done(std::move(*found)); });
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
    std::optional<plan::SaState> sa;
    std::shared_ptr<const plan::MftDigestMap> multicast;  // null: as it was
    std::vector<Event> events;
    std::vector<SweepReport> sweeps;
    std::vector<Waiter> done;
  };
  /// Somebody who looks back.
  struct Reading {
    asio::any_io_executor loop;
    std::function<Result<bool>(Database&)> step;  // true: all is read
    Done done;
  };

  void add_read(std::function<Result<bool>(Database&)> step, Done done) {
    auto tracked = asio::prefer(loop_, asio::execution::outstanding_work.tracked);
    const std::lock_guard lock(mutex_);
    readings_.push_back({std::move(tracked), std::move(step), std::move(done)});
    changed_.notify_one();
  }

  void wake() {
    work_ = true;
    changed_.notify_one();
  }

  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      const Duration patience = wait_ > Duration::zero() ? wait_ : options_.check;
      changed_.wait_for(lock, patience, [this] { return work_ || stop_ || !readings_.empty(); });
      if (!work_ && !stop_ && !readings_.empty()) {
        read_some(lock);
        continue;
      }
      if (work_ && !stop_) changed_.wait_for(lock, options_.group, [this] { return stop_; });
      const bool last = stop_;
      const bool unsaved = std::exchange(work_, false) || wait_ > Duration::zero();
      if (last && !unsaved) return;
      Batch batch = std::exchange(waiting_, {});
      lock.unlock();
      const Result<void> written = write(batch);
      lock.lock();
      health_ = written ? "ok" : written.error().what;  // before the answer: who gets it may ask
      wait_ = written ? Duration::zero() : std::clamp(wait_ * 2, options_.retry, options_.retry_most);
      std::vector<Waiter> done = std::move(batch.done);
      if (!written) keep_events(std::move(batch));
      answer(std::move(done), written);
      if (last) return;
      if (!readings_.empty()) read_some(lock);
    }
  }

  /// One step for who has waited longest; then others, and commits, have their turn.
  void read_some(std::unique_lock<std::mutex>& lock) {
    Reading reading = std::move(readings_.front());
    readings_.pop_front();
    lock.unlock();
    const Result<bool> ended = reading.step(database_);
    lock.lock();
    if (ended && !*ended) return readings_.push_back(std::move(reading));
    const Result<void> read = ended ? Result<void>() : fail(ended.error());
    auto loop = std::move(reading.loop);
    asio::post(loop, [done = std::move(reading.done), read] { done(read); });
  }

  /// Also without anything new: what could not be written before, or all of it when the file has gone.
  Result<void> write(const Batch& batch) {
    plan::SaState sa = batch.sa ? *batch.sa : wanted_.sa;
    auto multicast = batch.multicast ? batch.multicast : wanted_.multicast;
    if (batch.ledger) wanted_ = *batch.ledger;
    wanted_.sa = std::move(sa);
    wanted_.multicast = std::move(multicast);
    if (FileId now = file_id(path_); !now || now != file_) {
      auto anew = open_anew();
      if (!anew) return anew;
    }
    const bool nothing_new = wanted_.lids == saved_.lids && wanted_.devices == saved_.devices &&
                             wanted_.sa == saved_.sa && wanted_.design == saved_.design &&
                             wanted_.partitions == saved_.partitions && wanted_.sls == saved_.sls &&
                             wanted_.multicast == saved_.multicast;
    if (nothing_new && batch.events.empty() && batch.sweeps.empty()) return {};
    return commit(batch);
  }

  /// Somebody has deleted or replaced the file under us: what goes on into the old one is lost.
  Result<void> open_anew() {
    auto file = open_state_file(options_.directory, 0);
    if (!file)
      return fail(file.error().code, "{} is gone, and cannot be made anew: {}", path_.string(),
                  file.error().what);
    log::named("daemon")->warn("state file {} was deleted or replaced: its content is written anew",
                               path_.string());
    database_ = std::move(file->database);
    saved_ = std::move(file->ledger);
    file_ = file_id(path_);
    return {};
  }

  Result<void> commit(const Batch& batch) {
    auto transaction = Transaction::begin(database_);
    if (!transaction) return fail(transaction.error());
    auto ledger_written = write_ledger(database_, saved_, wanted_);
    if (!ledger_written) return ledger_written;
    auto events_written = write_events(database_, batch.events, options_.events_kept);
    if (!events_written) return events_written;
    auto sweeps_written = write_sweeps(database_, batch.sweeps, options_.sweeps_kept);
    if (!sweeps_written) return sweeps_written;
    auto forgotten = forget_old();
    if (!forgotten) return forgotten;
    auto committed = transaction->commit();
    if (!committed) return committed;
    saved_ = wanted_;
    return {};
  }

  /// With some commit of each minute.
  Result<void> forget_old() {
    const WallTime now = std::chrono::system_clock::now();
    if (options_.age <= Duration::zero() || now - forgot_ < std::chrono::minutes(1)) return {};
    forgot_ = now;
    return drop_before(database_, now - std::chrono::duration_cast<WallTime::duration>(options_.age));
  }

  static void answer(std::vector<Waiter> waiters, const Result<void>& written) {
    for (Waiter& waiter : waiters) {
      auto loop = std::move(waiter.loop);
      asio::post(loop, [done = std::move(waiter.done), written] { done(written); });
    }
  }

  /// They come before what was handed over meanwhile, and go with the next commit.
  void keep_events(Batch batch) {
    keep(std::move(batch.events), waiting_.events);
    keep(std::move(batch.sweeps), waiting_.sweeps);
  }
  template <typename T>
  static void keep(std::vector<T> older, std::vector<T>& newer) {
    std::swap(older, newer);
    newer.insert(newer.end(), std::make_move_iterator(older.begin()), std::make_move_iterator(older.end()));
    if (newer.size() > kMostWaitingEvents) newer.erase(newer.begin(), newer.end() - kMostWaitingEvents);
  }

  const StoreOptions options_;
  const asio::any_io_executor loop_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Batch waiting_;
  std::deque<Reading> readings_;
  std::string health_ = "ok";
  bool work_ = false;
  bool stop_ = false;
  // The thread's own, once it runs.
  const std::filesystem::path path_;
  Database database_;
  FileId file_;
  plan::Ledger saved_;   // on disk
  plan::Ledger wanted_;  // handed over last
  WallTime forgot_{};    // when what is too old was last dropped
  Duration wait_{};      // before the next try; 0 when nothing failed
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
