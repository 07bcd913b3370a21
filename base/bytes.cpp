#include "base/bytes.h"

#include <iterator>

#include <fmt/format.h>

namespace weft::inline base {

std::string hex(std::span<const std::uint8_t> bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes)
    fmt::format_to(std::back_inserter(text), "{}{:02x}", text.empty() ? "" : " ", byte);
  return text;
}

}  // namespace weft::inline base
