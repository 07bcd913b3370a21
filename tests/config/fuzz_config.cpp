// Any bytes as a configuration: never an exception or a crash; what is accepted shows as text that is
// accepted again.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "config/m_keys_file.h"
#include "config/names_file.h"
#include "config/read.h"
#include "config/schema.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft::config;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Report report;
  read_names(text, report);
  read_m_keys(text, report);
  const weft::Result<Loaded> loaded = read_text(text, "fuzz.yaml");
  if (!loaded) {
    if (loaded.error().what.empty()) std::abort();
    return 0;
  }
  std::vector<Override> shown;
  for (const Key& key : schema()) {
    const std::string value = key.show(loaded->settings);
    if (value != key.default_text && value.front() != '"') shown.push_back({std::string(key.path), value});
  }
  const weft::Result<Loaded> again = read_text({}, "none", shown);
  if (!again) std::abort();
  for (const Override& option : shown) {
    if (find_key(option.key)->show(again->settings) != option.value) std::abort();
  }
  return 0;
}
