#include "base/memory.h"

#include <malloc.h>

namespace weft {

void keep_freed_memory() {
  constexpr int kLargest = 32 << 20;  // what the allocator allows: larger ones are mapped, each by itself
  constexpr int kKept = 1 << 30;
  constexpr int kStep = 16 << 20;  // grows by so much at a time
  mallopt(M_MMAP_THRESHOLD, kLargest);
  mallopt(M_TRIM_THRESHOLD, kKept);
  mallopt(M_TOP_PAD, kStep);
}

}  // namespace weft
