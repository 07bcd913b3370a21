#pragma once
// RowArena: memory for the rows of large tables. 40,000 hosts take 160 MB; touched page by page for the first
// time that costs more than filling them. So rows stand side by side in chunks that the kernel may back with
// huge pages. A chunk lives as long as any of its rows, so rows can be shared and outlive the table they were
// made for.

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "routing/lft.h"

namespace weft::routing {

class RowArena {
 public:
  /// For `rows` of `size` bytes. Small tables get no chunks.
  RowArena(std::size_t rows, std::size_t size);
  /// Room for one row, not filled; once for each, from any thread. Rows next to each other are so in memory,
  /// too.
  Lft::Memory claim(std::size_t row);

 private:
  std::size_t row_size_;
  std::size_t rows_in_chunk_;  // 0: none
  std::mutex mutex_;
  std::vector<Lft::Memory> chunks_;
};

}  // namespace weft::routing
