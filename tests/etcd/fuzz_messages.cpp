#include "etcd/messages.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft::etcd;  // NOLINT
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)range_from_json(text);
  (void)committed_from_json(text);
  (void)lease_from_json(text);
  (void)watch_from_json(text);
  (void)token_from_json(text);
  (void)error_from_json(text);
  return 0;
}
