#include "transport/request_queue.h"

#include <algorithm>

namespace weft::transport {

std::size_t RequestQueue::ready() const {
  return std::min(waiting_.size(), static_cast<std::size_t>(std::max(0, window_ - on_wire_)));
}

void RequestQueue::left(std::size_t count) {
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
  on_wire_ += static_cast<int>(count);
}

void RequestQueue::ended(std::uint32_t tid) {
  // Signed distance, since ids wrap. What waits is not below the first that waits.
  const auto distance = [tid](const Request& request) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(mad::tid_of(request.mad)) - tid);
  };
  if (waiting_.empty() || distance(waiting_.front()) > 0) {
    --on_wire_;
    return;
  }
  const auto at = std::ranges::find(waiting_, 0, distance);
  if (at != waiting_.end()) waiting_.erase(at);
}

}  // namespace weft::transport
