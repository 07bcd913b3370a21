#include "routing/row_arena.h"

#include <algorithm>
#include <cstdlib>

#include <sys/mman.h>

namespace weft::routing {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kChunk = 4 * kHugePage;
constexpr std::size_t kLargeTable = std::size_t{64}
                                    << 20;  // below, memory used before is cheaper than new chunks

RowChunk new_chunk() {
  void* memory = std::aligned_alloc(kHugePage, kChunk);
  if (memory == nullptr) throw std::bad_alloc();
  madvise(memory, kChunk, MADV_HUGEPAGE);  // a wish: without it all works the same
  return {static_cast<std::uint8_t*>(memory), [](std::uint8_t* at) { std::free(at); }};
}

}  // namespace

RowArena::RowArena(std::size_t rows, std::size_t size)
    : row_size_(size),
      chunk_size_(rows * size >= kLargeTable && size <= kHugePage ? kChunk : 0),
      used_(kChunk) {}

RowAllocator<std::uint8_t> RowArena::claim() {
  if (chunk_size_ == 0) return {};
  const std::lock_guard lock(mutex_);
  if (used_ + row_size_ > chunk_size_) {
    chunk_ = new_chunk();
    used_ = 0;
  }
  std::uint8_t* at = chunk_.get() + used_;
  used_ += row_size_;
  return {chunk_, at, row_size_};
}

}  // namespace weft::routing
