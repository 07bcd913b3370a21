#pragma once
// Random: a small seeded generator (splitmix64) whose sequence is the same with every compiler and library,
// which the standard distributions are not.

#include <cstdint>

namespace weft::sim {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// True with this probability; draws nothing for 0 and 1, so that a switched-off fault costs no randomness.
  bool chance(double probability) {
    if (probability <= 0) return false;
    if (probability >= 1) return true;
    return static_cast<double>(next() >> 11) * 0x1.0p-53 < probability;
  }
  /// From 0 to `end` - 1; `end` must be positive. The tiny bias of the remainder does not matter here.
  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(end));
  }

 private:
  std::uint64_t state_;
};

}  // namespace weft::sim
