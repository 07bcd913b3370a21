#include "base/ids.h"

#include <fmt/format.h>

namespace weft::inline base {

std::string to_string(Guid guid) { return fmt::format("0x{:016x}", raw(guid)); }
std::string to_string(Lid lid) { return fmt::format("{}", raw(lid)); }
std::string to_string(PortNum port) { return fmt::format("{}", raw(port)); }
std::string to_string(Pkey pkey) { return fmt::format("0x{:04x}", raw(pkey)); }

std::optional<Guid> guid_from(std::string_view text) {
  constexpr std::size_t kPlain = 16;   // digits of a whole GUID
  constexpr std::size_t kColons = 19;  // four groups of four digits
  const bool prefixed = text.starts_with("0x") || text.starts_with("0X");
  if (prefixed) text.remove_prefix(2);
  const bool colons = !prefixed && text.size() == kColons;
  if (!prefixed && !colons && text.size() != kPlain) return std::nullopt;
  std::uint64_t value = 0;
  int digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (colons && i % 5 == 4) {
      if (c != ':') return std::nullopt;
      continue;
    }
    int digit = -1;
    if (c >= '0' && c <= '9') digit = c - '0';
    if (c >= 'a' && c <= 'f') digit = c - 'a' + 10;
    if (c >= 'A' && c <= 'F') digit = c - 'A' + 10;
    if (digit < 0 || ++digits > 16) return std::nullopt;
    value = value << 4 | static_cast<std::uint64_t>(digit);
  }
  if (value == 0) return std::nullopt;
  return Guid{value};
}

}  // namespace weft::inline base
