// Any text gives a valid topology within the limits of a subnet, or an error. Texts with numbers over 99 are
// left to the unit tests: many of them are right, and large.

#include <cctype>
#include <cstdlib>
#include <string_view>

#include "topology/blueprint.h"

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  using namespace weft::topology;
  const std::string_view text(data, size);
  std::size_t digits = 0;
  for (const char c : text) {
    digits = std::isdigit(static_cast<unsigned char>(c)) ? digits + 1 : 0;
    if (digits == 3) return 0;
  }
  const auto topology = from_blueprint(text);
  if (topology && (!validate(*topology) || topology->nodes.size() > 49151)) std::abort();
  return 0;
}
