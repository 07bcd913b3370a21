#include "daemon/replica.h"

#include <algorithm>

#include <boost/asio/prefer.hpp>

#include "daemon/log.h"

namespace weft::daemon {
namespace {

constexpr auto kTryLock = std::chrono::milliseconds(200);
constexpr auto kRetry = std::chrono::seconds(1);
/// Beyond the lease: etcd looks for leases that have ended twice a second.
constexpr auto kLockGrace = std::chrono::seconds(1);
constexpr auto kEnd = std::chrono::seconds(3);

}  // namespace

Result<std::unique_ptr<Replica>> Replica::start(SharedOptions options, const plan::Ledger& ours,
                                                asio::any_io_executor loop, Tell tell) {
  auto copy = SharedCopy::open(std::move(options), ours);
  if (!copy) return fail(copy.error());
  return std::unique_ptr<Replica>(new Replica(std::move(*copy), ours, std::move(loop), std::move(tell)));
}

Replica::Replica(std::unique_ptr<SharedCopy> copy, const plan::Ledger& ours, asio::any_io_executor loop,
                 Tell tell)
    : loop_(std::move(loop)),
      handlers_(std::make_shared<Handlers>(Handlers{std::move(tell), {}})),
      lease_(copy->options().lease),
      wanted_(ours),
      copy_(std::move(copy)),
      thread_([this] { run(); }) {}

Replica::~Replica() {
  handlers_->tell = {};
  handlers_->lost = {};
  {
    std::unique_lock lock(mutex_);
    stop_ = true;
    changed_.notify_all();
    if (!changed_.wait_for(lock, kEnd, [this] { return ended_; })) copy_->client().cancel();
  }
  thread_.join();
}

// --- the loop's side

void Replica::take(Guid port, std::function<void(Result<Taken>)> done) {
  const std::lock_guard lock(mutex_);
  if (take_done_) end_take(fail(Errc::cancelled, "asked for anew"));
  role_ = Role::taking;
  port_ = port;
  take_done_ = std::move(done);
  changed_.notify_all();
}

void Replica::leave() {
  const std::lock_guard lock(mutex_);
  if (role_ == Role::idle) return;
  role_ = Role::idle;
  in_step_ = false;
  leave_ = true;
  changed_.notify_all();
}

void Replica::on_lost(std::function<void(std::string)> handler) { handlers_->lost = std::move(handler); }

void Replica::save(const plan::Ledger& ledger) {
  const std::lock_guard lock(mutex_);
  plan::SaState sa = std::move(wanted_.sa);
  wanted_ = ledger;
  wanted_.sa = std::move(sa);
  work_ = true;
  changed_.notify_all();
}

void Replica::save_sa(const plan::SaState& state, Store::Done done) {
  const std::lock_guard lock(mutex_);
  wanted_.sa = state;
  work_ = true;
  changed_.notify_all();
  if (!done) return;
  if (role_ == Role::master && !away_since_) {
    auto tracked = asio::prefer(loop_, asio::execution::outstanding_work.tracked);
    waiters_.push_back([tracked, done = std::move(done)](Result<void> kept) {
      asio::post(tracked, [done, kept = std::move(kept)] { done(kept); });
    });
    return;
  }
  Result<void> kept;
  if (role_ == Role::lost) kept = fail(Errc::conflict, "another subnet manager is master: {}", away_why_);
  asio::post(loop_, [done = std::move(done), kept] { done(kept); });
}

void Replica::set_port(Guid port) {
  const std::lock_guard lock(mutex_);
  port_ = port;
  renew_at_ = {};
  changed_.notify_all();
}

void Replica::set_digests(std::map<std::string, std::string> digests) {
  const std::lock_guard lock(mutex_);
  digests_ = std::move(digests);
  renew_at_ = {};
  changed_.notify_all();
}

std::vector<Presence> Replica::others() const {
  const std::lock_guard lock(mutex_);
  return others_;
}

SharedStatus Replica::status() const {
  const std::lock_guard lock(mutex_);
  SharedStatus status;
  status.change = seq_;
  status.since = away_since_;
  status.why = away_why_;
  using enum SharedStatus::State;
  if (role_ == Role::master)
    status.state = in_step_ ? replicated : away_since_ ? not_replicated : catching_up;
  else
    status.state = away_since_ ? unreachable : standby;
  return status;
}

// --- the thread's side

template <typename Call>
auto Replica::unlocked(std::unique_lock<std::mutex>& lock, const Call& call) {
  lock.unlock();
  auto result = call();
  lock.lock();
  for (std::string& note : copy_->notes()) tell(Severity::warning, "shared_state", std::move(note));
  seq_ = copy_->seq();
  return result;
}

void Replica::tell(Severity severity, std::string kind, std::string text) {
  asio::post(loop_, [handlers = handlers_, severity, kind = std::move(kind), text = std::move(text)] {
    if (handlers->tell) handlers->tell(severity, kind, text);
  });
}

void Replica::answer(const Result<void>& with) {
  for (const Store::Done& done : std::exchange(waiters_, {})) done(with);
}

void Replica::run() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    const bool master = role_ == Role::master;
    Clock::time_point next = renew_at_;
    if (master && !in_step_) next = std::min(next, retry_at_);
    changed_.wait_until(lock, next, [this] {
      return stop_ || leave_ || role_ == Role::taking || (work_ && role_ == Role::master && in_step_);
    });
    if (!stop_) serve(lock);
  }
  if (role_ == Role::master && in_step_ && work_) write_now(lock);
  answer(fail(Errc::cancelled, "weftd ends"));
  if (take_done_) end_take(fail(Errc::cancelled, "weftd ends"));
  unlocked(lock, [this] {
    watch_.reset();
    if (!away_since_) copy_->close();
    return 0;
  });
  ended_ = true;
  changed_.notify_all();
}

void Replica::serve(std::unique_lock<std::mutex>& lock) {
  if (digests_) copy_->set_digests(*std::exchange(digests_, std::nullopt));
  if (port_) copy_->set_port(*port_);
  if (std::exchange(leave_, false)) {
    answer(fail(Errc::conflict, "we are not master any more"));
    if (take_done_ && role_ != Role::taking)
      end_take(fail(Errc::cancelled, "we are not to be master any more"));
    unlocked(lock, [this] {
      copy_->leave();
      return 0;
    });
  }
  if (role_ == Role::taking) return take_now(lock);
  if (role_ == Role::idle && !watch_)
    watch_ = std::make_unique<SharedWatch>(copy_->options().etcd, copy_->options().prefix);
  if (Clock::now() >= renew_at_) renew_now(lock);
  if (role_ != Role::master) return;
  if (!in_step_ && Clock::now() >= retry_at_) recover_now(lock);
  if (role_ == Role::master && in_step_ && work_) write_now(lock);
}

void Replica::end_take(Result<Taken> taken) {
  auto done = std::exchange(take_done_, {});
  asio::post(loop_, [done = std::move(done), taken = std::move(taken)]() mutable { done(std::move(taken)); });
}

void Replica::take_now(std::unique_lock<std::mutex>& lock) {
  const auto patience = Clock::now() + lease_ + kLockGrace;
  while (true) {
    const Guid port = port_.value_or(Guid{});
    Result<Taken> taken = unlocked(lock, [&] { return copy_->take(port, watch_.get()); });
    if (stop_ || role_ != Role::taking) return;
    const bool held = !taken && taken.error().code == Errc::conflict;
    if (held && Clock::now() < patience) {
      changed_.wait_for(lock, kTryLock, [this] { return stop_ || role_ != Role::taking; });
      if (stop_ || role_ != Role::taking) return;
      continue;
    }
    if (held) {
      role_ = Role::idle;
      return end_take(std::move(taken));
    }
    role_ = Role::master;
    renew_at_ = retry_at_ = {};  // the lease may be as old as the wait was long
    if (!taken) {
      cut_off(taken.error());
      taken = unlocked(lock, [&] { return copy_->take_without_etcd(watch_.get()); });
      if (!taken) daemon_log().error("shared state not used error=\"{}\"", taken.error().what);
      if (!taken) taken = Taken{};
    } else {
      reached();
      in_step_ = copy_->in_step();
    }
    if (taken->ledger) wanted_ = *taken->ledger;
    work_ = false;
    end_take(std::move(taken));
    unlocked(lock, [&] {
      watch_.reset();
      return 0;
    });
    return;
  }
}

/// They came before those that wait now.
void Replica::take_back(std::vector<Store::Done> waiters) {
  std::swap(waiters, waiters_);
  waiters_.insert(waiters_.end(), std::make_move_iterator(waiters.begin()),
                  std::make_move_iterator(waiters.end()));
}

void Replica::write_now(std::unique_lock<std::mutex>& lock) {
  work_ = false;
  const plan::Ledger ledger = wanted_;
  std::vector<Store::Done> mine = std::exchange(waiters_, {});
  Result<void> written = unlocked(lock, [&] { return copy_->write(ledger); });
  if (written) {
    for (const Store::Done& done : mine) done({});
    reached();
    return;
  }
  take_back(std::move(mine));
  in_step_ = false;
  work_ = true;
  came_of(written);
  if (role_ == Role::master && !away_since_) recover_now(lock);  // the lock alone was lost
}

void Replica::recover_now(std::unique_lock<std::mutex>& lock) {
  retry_at_ = Clock::now() + kRetry;
  work_ = false;
  const plan::Ledger ledger = wanted_;
  std::vector<Store::Done> mine = std::exchange(waiters_, {});
  Result<void> done = unlocked(lock, [&] {
    (void)copy_->write(ledger).has_value();  // the rows are the newest, whatever comes of it
    return copy_->recover();
  });
  if (done) {
    for (const Store::Done& one : mine) one({});
    if (role_ != Role::master) return;
    const bool was_away = away_since_.has_value();
    reached();
    in_step_ = copy_->in_step();
    if (was_away) tell(Severity::info, "shared_state", "the state is replicated to etcd again");
    return;
  }
  take_back(std::move(mine));
  in_step_ = false;
  came_of(done);
}

void Replica::renew_now(std::unique_lock<std::mutex>& lock) {
  renew_at_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(lease_) / 3;
  Result<void> renewed = unlocked(lock, [this] { return copy_->renew(); });
  others_ = copy_->others();
  if (role_ == Role::master && !copy_->in_step()) in_step_ = false;
  if (renewed) {
    if (role_ != Role::master || in_step_) reached();
    return;
  }
  if (renewed.error().code == Errc::not_found) {
    retry_at_ = {};
    return;
  }
  came_of(renewed);
}

/// Of something that failed.
void Replica::came_of(const Result<void>& done) {
  if (done || done.error().code == Errc::not_found || done.error().code == Errc::cancelled) return;
  if (done.error().code == Errc::conflict) {
    if (role_ != Role::master) return;
    role_ = Role::lost;
    in_step_ = false;
    away_why_ = done.error().what;
    answer(done);
    asio::post(loop_, [handlers = handlers_, why = done.error().what] {
      if (handlers->lost) handlers->lost(why);
    });
    return;
  }
  cut_off(done.error());
}

void Replica::cut_off(const Error& why) {
  away_why_ = why.what;
  in_step_ = false;
  retry_at_ = Clock::now() + kRetry;
  const bool master = role_ == Role::master;
  if (master)
    if (auto noted = copy_->go_ahead(); !noted) daemon_log().error("{}", noted.error().what);
  answer(master ? Result<void>() : Result<void>(fail(Errc::conflict, "we are not master any more")));
  if (away_since_) return;
  away_since_ = std::chrono::system_clock::now();
  tell(Severity::warning, "shared_state",
       fmt::format("{}: {}",
                   master ? "the state is not replicated to etcd any more" : "etcd is not to be reached",
                   why.what));
}

void Replica::reached() {
  away_since_.reset();
  away_why_.clear();
}

}  // namespace weft::daemon
