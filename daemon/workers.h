#pragma once
// Workers: where pure planning runs while the loop goes on: a thread in the real daemon; in place, with a
// modelled delay, under virtual time.

#include <functional>
#include <optional>
#include <type_traits>

#include <boost/asio/thread_pool.hpp>

#include "base/clock.h"
#include "transport/asio.h"

namespace weft::daemon {

class Workers {
 public:
  Workers() = default;
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  virtual ~Workers() = default;
  /// Runs `work` somewhere, then `done` on the loop.
  virtual void run(std::function<void()> work, std::function<void()> done) = 0;
};

/// One thread.
class PoolWorkers final : public Workers {
 public:
  explicit PoolWorkers(asio::io_context& loop) : loop_(loop), pool_(1) {}
  ~PoolWorkers() override { pool_.join(); }
  void run(std::function<void()> work, std::function<void()> done) override {
    asio::post(pool_, [&loop = loop_, w = std::move(work), d = std::move(done)]() mutable {
      w();
      asio::post(loop, std::move(d));
    });
  }

 private:
  asio::io_context& loop_;
  asio::thread_pool pool_;
};

/// At once, done after `delay` of the clock.
class InlineWorkers final : public Workers {
 public:
  InlineWorkers(Clock& clock, Duration delay) : clock_(clock), delay_(delay) {}
  void run(std::function<void()> work, std::function<void()> done) override {
    work();
    clock_.after(delay_, std::move(done));
  }

 private:
  Clock& clock_;
  Duration delay_;
};

/// Computes a value on the workers. `compute` must own, or outlive, what it uses.
template <typename Compute>
asio::awaitable<std::invoke_result_t<Compute>> compute_on(Workers& workers, Compute compute) {
  using Value = std::invoke_result_t<Compute>;
  return transport::suspend<Value>(
      [&workers, c = std::move(compute)](transport::Completion<Value> done) mutable {
        auto value = std::make_shared<std::optional<Value>>();
        auto wake = std::make_shared<transport::Completion<Value>>(std::move(done));
        workers.run([value, c = std::move(c)]() mutable { value->emplace(c()); },
                    [value, wake] { (*wake)(std::move(**value)); });
      });
}

}  // namespace weft::daemon
