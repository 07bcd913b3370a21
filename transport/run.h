#pragma once
// Drives a coroutine to its end: on the real event loop, or under virtual time, where nothing waits.

#include <exception>
#include <optional>
#include <stdexcept>

#include <boost/asio/co_spawn.hpp>

#include "base/virtual_clock.h"
#include "transport/asio.h"

namespace weft::transport {

/// Runs one coroutine on the real event loop and returns what it returns; other work goes on beside it
/// meanwhile.
template <typename T>
T run(asio::io_context& loop, asio::awaitable<T> work) {
  std::optional<T> result;
  std::exception_ptr thrown;
  asio::co_spawn(loop, std::move(work), [&](std::exception_ptr error, T value) {
    thrown = error;
    result.emplace(std::move(value));
  });
  loop.restart();
  while (!result && loop.run_one() > 0) {
  }
  if (thrown) std::rethrow_exception(thrown);
  if (!result) throw std::logic_error("the coroutine waits for something that never happens");
  return std::move(*result);
}

/// Lets everything happen that is due, then the clock jump to the next timer, until `done` answers true.
/// False when nothing is left that could ever happen.
bool run_virtual(asio::io_context& loop, VirtualClock& clock, const std::function<bool()>& done);

/// Runs one coroutine under virtual time and returns what it returns. Throws std::logic_error when it never
/// ends.
template <typename T>
T run_virtual(asio::io_context& loop, VirtualClock& clock, asio::awaitable<T> work) {
  std::optional<T> result;
  std::exception_ptr thrown;
  asio::co_spawn(loop, std::move(work), [&](std::exception_ptr error, T value) {
    thrown = error;
    result.emplace(std::move(value));
  });
  const bool ended = run_virtual(loop, clock, [&] { return result.has_value() || thrown != nullptr; });
  if (thrown) std::rethrow_exception(thrown);
  if (!ended) throw std::logic_error("the coroutine waits for something that never happens");
  return std::move(*result);
}

}  // namespace weft::transport
