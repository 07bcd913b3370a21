#pragma once
// Fifo: a queue whose elements lie one after the other, so that many can be handed to one system call. Memory
// is kept for the next ones.

#include <cstdint>
#include <span>
#include <vector>

namespace weft::sim {

template <typename T>
class Fifo {
 public:
  T& push() { return items_.emplace_back(); }
  std::span<T> items() { return std::span<T>(items_).subspan(head_); }
  std::span<const T> items() const { return std::span<const T>(items_).subspan(head_); }
  T& front() { return items_[head_]; }
  const T& front() const { return items_[head_]; }
  bool empty() const { return head_ == items_.size(); }
  std::size_t size() const { return items_.size() - head_; }
  /// How many have ever been taken out: the sequence number of the first.
  std::uint64_t first() const { return taken_; }
  void pop(std::size_t count) {
    head_ += count;
    taken_ += count;
    if (empty()) {
      items_.clear();
      head_ = 0;
    } else if (head_ >= kSlack && head_ * 2 >= items_.size()) {
      items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
  }

 private:
  static constexpr std::size_t kSlack = 1024;
  std::vector<T> items_;
  std::size_t head_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace weft::sim
