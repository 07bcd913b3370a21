#pragma once
// TreeReach: which switches each switch of a tree can send to by going up k links and then down, for each k.
// Bit sets, since they are what both the tables and the port sets of a tree are made of.

#include <cstdint>
#include <span>
#include <vector>

#include "routing/tree_shape.h"

namespace weft::routing {

class TreeReach {
 public:
  /// Over the live links. Cost: O(links * switches / 64) a rank, over `threads`.
  TreeReach(const TreeShape& shape, unsigned threads);

  std::uint32_t words() const { return words_; }
  std::uint32_t levels() const { return levels_; }
  /// Switches that `s` reaches by `k` links up and then down at most all the way; itself included.
  const std::uint64_t* row(std::uint32_t k, std::uint32_t s) const {
    return rows_.data() + (static_cast<std::size_t>(k) * live_ + s) * words_;
  }

 private:
  std::uint32_t live_;
  std::uint32_t words_;
  std::uint32_t levels_;
  std::vector<std::uint64_t> rows_;  // [k][switch][word]
};

}  // namespace weft::routing
