#pragma once
// Bounded concurrency for coroutines of one loop thread: `for_each` over a list, `Tasks` for work that finds
// more work.

#include <memory>
#include <span>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include "transport/asio.h"

namespace weft::transport {

/// Counts coroutines that run side by side and wakes the one that waits for all of them.
class Tasks {
 public:
  explicit Tasks(asio::any_io_executor executor) : executor_(std::move(executor)) {}
  Tasks(const Tasks&) = delete;
  Tasks& operator=(const Tasks&) = delete;

  /// Starts a coroutine. What it needs it must own, or borrow from whoever awaits all().
  void start(asio::awaitable<void> work) {
    ++running_;
    asio::co_spawn(executor_, std::move(work), [this](std::exception_ptr thrown) {
      if (thrown && !thrown_) thrown_ = thrown;
      if (--running_ == 0 && waiter_) waiter_(Done{});
    });
  }
  std::size_t running() const { return running_; }
  /// Waits until none runs, those included that others start meanwhile. Rethrows the first exception.
  asio::awaitable<void> all() {
    while (running_ > 0) co_await wait();
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  }

 private:
  asio::awaitable<Done> wait() {
    return suspend<Done>([this](Completion<Done> done) { waiter_ = std::move(done); });
  }
  asio::any_io_executor executor_;
  std::size_t running_ = 0;
  std::exception_ptr thrown_;
  Completion<Done> waiter_;
};

namespace detail {

template <typename Item, typename Work>
asio::awaitable<void> for_each_worker(std::span<const Item> items, std::shared_ptr<std::size_t> next,
                                      Work work) {
  while (*next < items.size()) {
    const Item& item = items[(*next)++];
    co_await work(item);
  }
}

}  // namespace detail

/// Runs `work(item)`, an awaitable<void>, for every item, at most `width` at a time. `items` must stay alive;
/// `work` is copied, a function pointer or an object whose call operator is an ordinary function that returns
/// the awaitable.
template <typename Item, typename Work>
asio::awaitable<void> for_each(std::span<const Item> items, std::size_t width, Work work) {
  const auto executor = co_await asio::this_coro::executor;
  Tasks tasks(executor);
  auto next = std::make_shared<std::size_t>(0);
  for (std::size_t i = 0; i < width && i < items.size(); ++i)
    tasks.start(detail::for_each_worker<Item, Work>(items, next, work));
  co_await tasks.all();
}

}  // namespace weft::transport
