#pragma once
// Gate: at most `limit` at a time, the rest wait in order of arrival. For coroutines of one loop thread.

#include <deque>

#include "transport/asio.h"

namespace weft::transport {

class Gate {
 public:
  explicit Gate(int limit) : limit_(limit) {}
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  /// Takes a place when one is free and nobody waits.
  bool try_enter();
  /// Waits for a place; resumed, the caller holds it.
  asio::awaitable<Done> enter();
  void leave();
  void set_limit(int limit);
  int limit() const { return limit_; }
  int inside() const { return inside_; }
  bool waiting() const { return !queue_.empty(); }

 private:
  void admit();
  int limit_;
  int inside_ = 0;
  std::deque<Completion<Done>> queue_;
};

}  // namespace weft::transport
