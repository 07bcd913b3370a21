// Any text gives a topology that comes back exactly after writing, or an error.

#include <cstdlib>

#include "topology/json_file.h"

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  using namespace weft::topology;
  const auto topology = read_json({data, size}, "fuzz");
  if (!topology) return 0;
  const auto again = read_json(write_json(*topology), "fuzz");
  if (!again || *again != *topology) std::abort();
  return 0;
}
