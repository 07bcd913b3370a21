// Any text gives a topology that can be written and read again, or an error.

#include <cstdlib>

#include "topology/ibsim_file.h"

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  using namespace weft::topology;
  const auto topology = read_ibsim({data, size}, "fuzz");
  if (!topology) return 0;
  const auto again = read_ibsim(write_ibsim(*topology), "fuzz");
  if (!again || again->nodes.size() != topology->nodes.size() || again->cables != topology->cables)
    std::abort();
  const auto listed = read_ibsim(write_ibnetdiscover(*topology), "fuzz");
  if (!listed || listed->cables.size() != topology->cables.size()) std::abort();
  return 0;
}
