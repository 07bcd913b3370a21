#pragma once
// RequestQueue: the requests of a transport in order, of which at most `window` are on the wire. Simulators
// stop reading when about 250 are unanswered; this is the bound that holds whatever the callers do.

#include <deque>

#include "base/clock.h"
#include "mad/mad.h"

namespace weft::transport {

class RequestQueue {
 public:
  explicit RequestQueue(int window) : window_(window) {}

  struct Request {
    mad::Mad mad;
    Duration timeout;
  };
  /// Transaction ids rise from one to the next (and may wrap).
  void push(const mad::Mad& mad, Duration timeout) { waiting_.push_back({mad, timeout}); }
  /// How many of those that wait may leave now.
  std::size_t ready() const;
  /// The one that waits at place `i`, from 0.
  const Request& at(std::size_t i) const { return waiting_[i]; }
  /// The first `count` of those that wait have left.
  void left(std::size_t count);
  /// The exchange is over: the request leaves the wire, or waits no more.
  void ended(std::uint32_t tid);
  void clear() { waiting_.clear(); }
  int on_the_wire() const { return on_wire_; }

 private:
  int window_;
  int on_wire_ = 0;
  std::deque<Request> waiting_;
};

}  // namespace weft::transport
