#pragma once
// News: wakes those who wait for something to tell, for as long as they live. Loop thread only.

#include <functional>
#include <memory>
#include <vector>

#include "daemon/http.h"

namespace weft::daemon {

class News {
 public:
  void add(std::weak_ptr<Waker> waker) {
    std::erase_if(wakers_, [](const auto& one) { return one.expired(); });
    wakers_.push_back(std::move(waker));
  }
  void tell() {
    for (const auto& one : wakers_)
      if (const auto waker = one.lock()) waker->wake();
  }
  std::size_t size() const { return wakers_.size(); }

 private:
  std::vector<std::weak_ptr<Waker>> wakers_;
};

}  // namespace weft::daemon
