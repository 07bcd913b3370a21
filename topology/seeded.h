#pragma once
// Random choices that depend on a seed alone: the same on every machine and with every standard library,
// whose distributions may differ.

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace weft::topology {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  /// 0 .. bound - 1; bound is at least 1.
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(engine_() % bound); }

  template <typename T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace weft::topology
