// OpenSM's dump of its SA: any text is read; what was read and written is read the same.

#include <cstdlib>
#include <string>

#include "config/opensm_sa_dump.h"

namespace {

weft::plan::SaState read(std::string_view text) {
  weft::config::SaDumpReader reader;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    (void)reader.take(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.state();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  using namespace weft::config;
  // The first time, what OpenSM never writes (a lease that has ended, a range beside a GID) goes.
  const std::string once = opensm_sa_dump(read({data, size}), 0);
  const std::string twice = opensm_sa_dump(read(once), 0);
  if (once != twice) std::abort();
  return 0;
}
