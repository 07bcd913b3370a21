#pragma once
// Work split over threads: pure functions of an index, so that the result does not depend on the split.

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace weft::routing {

/// Calls `work(begin, end)` for consecutive pieces of 0 .. count - 1, at most `threads` at once, and returns
/// when all are done. Pieces must not write what others read or write.
template <typename Work>
void in_pieces(std::uint32_t count, unsigned threads, const Work& work) {
  const std::uint32_t pieces = std::clamp<std::uint32_t>(threads, 1, std::max(count, 1U));
  if (pieces == 1) return work(0U, count);
  std::vector<std::jthread> others;
  const auto start = [&](std::uint32_t i) {
    return static_cast<std::uint32_t>(std::uint64_t{count} * i / pieces);
  };
  for (std::uint32_t i = 1; i < pieces; ++i)
    others.emplace_back([&work, from = start(i), to = start(i + 1)] { work(from, to); });
  work(0U, start(1));
}

}  // namespace weft::routing
