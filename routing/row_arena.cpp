#include "routing/row_arena.h"

#include <cstdlib>
#include <new>

#include <sys/mman.h>

namespace weft::routing {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kChunk = 4 * kHugePage;
constexpr std::size_t kLargeTable = std::size_t{64}
                                    << 20;  // below, memory used before is cheaper than new chunks

Lft::Memory new_chunk() {
  void* memory = std::aligned_alloc(kHugePage, kChunk);
  if (memory == nullptr) throw std::bad_alloc();
  madvise(memory, kChunk, MADV_HUGEPAGE);  // a wish: without it all works the same
  return {static_cast<std::uint8_t*>(memory), [](std::uint8_t* at) { std::free(at); }};
}

}  // namespace

RowArena::RowArena(std::size_t rows, std::size_t size)
    : row_size_(size), rows_in_chunk_(rows * size >= kLargeTable && size <= kHugePage ? kChunk / size : 0) {
  if (rows_in_chunk_ != 0) chunks_.resize(rows / rows_in_chunk_ + 1);
}

Lft::Memory RowArena::claim(std::size_t row) {
  if (rows_in_chunk_ == 0) return Lft::Memory(new std::uint8_t[row_size_]);
  const std::lock_guard lock(mutex_);
  Lft::Memory& chunk = chunks_[row / rows_in_chunk_];
  if (!chunk) chunk = new_chunk();
  return {chunk, chunk.get() + row % rows_in_chunk_ * row_size_};
}

}  // namespace weft::routing
