#include "transport/gate.h"

namespace weft::transport {

bool Gate::try_enter() {
  if (inside_ >= limit_ || !queue_.empty()) return false;
  ++inside_;
  return true;
}

asio::awaitable<Done> Gate::enter() {
  return suspend<Done>([this](Completion<Done> done) {
    queue_.push_back(std::move(done));
    admit();
  });
}

void Gate::leave() {
  --inside_;
  admit();
}

void Gate::set_limit(int limit) {
  limit_ = limit;
  admit();
}

void Gate::admit() {
  while (inside_ < limit_ && !queue_.empty()) {
    Completion<Done> next = std::move(queue_.front());
    queue_.pop_front();
    ++inside_;
    next(Done{});
  }
}

}  // namespace weft::transport
