// What stands in etcd may be anything.

#include "daemon/shared_keys.h"
#include "daemon/shared_rows.h"
#include "daemon/store_tables.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft::daemon;  // NOLINT
  const std::string text(reinterpret_cast<const char*>(data), size);
  (void)marker_from_json(text);
  (void)presence_from_json(text);
  const std::size_t line = text.find('\n');
  if (line == text.npos) return 0;
  (void)SharedRows::of({{text.substr(0, line), text.substr(line + 1)}}, kStateVersion);
  return 0;
}
