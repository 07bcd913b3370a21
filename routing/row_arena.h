#pragma once
// RowArena: memory for the rows of large tables. 40,000 hosts take 160 MB; touched page by page for the first
// time that costs more than filling them. So rows stand side by side in chunks that the kernel may back with
// huge pages. A chunk lives as long as any of its rows, so rows can be shared and outlive the table they were
// made for.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

namespace weft::routing {

using RowChunk = std::shared_ptr<std::uint8_t[]>;

/// Gives a vector the place that was set aside for it, once; else it is the standard one.
template <typename T>
struct RowAllocator {
  using value_type = T;

  RowAllocator() = default;
  RowAllocator(RowChunk from, T* at, std::size_t count) : chunk(std::move(from)), place(at), room(count) {}
  template <typename U>
  RowAllocator(const RowAllocator<U>&) {}  // NOLINT: as every allocator is made from its like

  T* allocate(std::size_t count) {
    if (chunk && !given && count <= room) {
      given = true;
      return place;
    }
    return std::allocator<T>().allocate(count);
  }
  void deallocate(T* at, std::size_t count) {
    if (at != place) std::allocator<T>().deallocate(at, count);
  }
  /// A copy of a row is no part of the table.
  RowAllocator select_on_container_copy_construction() const { return {}; }
  friend bool operator==(const RowAllocator& a, const RowAllocator& b) { return a.place == b.place; }

  RowChunk chunk;
  T* place = nullptr;
  std::size_t room = 0;
  bool given = false;
};

class RowArena {
 public:
  /// For at most `rows` of `size` bytes. Small tables get no chunks.
  RowArena(std::size_t rows, std::size_t size);
  /// For one row; from any thread.
  RowAllocator<std::uint8_t> claim();

 private:
  std::size_t row_size_;
  std::size_t chunk_size_;  // 0: none
  std::mutex mutex_;
  RowChunk chunk_;
  std::size_t used_ = 0;
};

}  // namespace weft::routing
