#pragma once
// The few pieces of Asio that the shell uses, under one short name, and `suspend`: how a coroutine waits for
// something that is no Asio object.

#include <memory>
#include <utility>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace weft {
namespace asio = boost::asio;
}

namespace weft::transport {

/// Stands for "nothing" where a value is needed.
struct Done {};

/// Wakes one suspended coroutine with a T, through the event loop's queue; to be called once at most.
/// Dropping it uncalled destroys the coroutine.
template <typename T>
class Completion {
 public:
  Completion() = default;
  template <typename Handler>
  explicit Completion(Handler handler) : model_(std::make_unique<Model<Handler>>(std::move(handler))) {}
  explicit operator bool() const { return model_ != nullptr; }
  void operator()(T value) { std::exchange(model_, nullptr)->call(std::move(value)); }

 private:
  struct Base {
    Base() = default;
    Base(const Base&) = delete;
    Base& operator=(const Base&) = delete;
    virtual ~Base() = default;
    virtual void call(T value) = 0;
  };
  template <typename Handler>
  struct Model final : Base {
    explicit Model(Handler h) : handler(std::move(h)) {}
    void call(T value) override {
      auto executor = asio::get_associated_executor(handler);
      asio::post(executor,
                 [h = std::move(handler), v = std::move(value)]() mutable { std::move(h)(std::move(v)); });
    }
    Handler handler;
  };
  std::unique_ptr<Base> model_;
};

/// Suspends the awaiting coroutine; `start` gets the Completion that wakes it. Not a coroutine itself.
template <typename T, typename Start>
asio::awaitable<T> suspend(Start start) {
  return asio::async_initiate<const asio::use_awaitable_t<>, void(T)>(
      [s = std::move(start)](auto handler) mutable { s(Completion<T>(std::move(handler))); },
      asio::use_awaitable);
}

}  // namespace weft::transport
