#include "base/gid.h"

#include <arpa/inet.h>

#include <fmt/format.h>

#include "base/bytes.h"

namespace weft::inline base {

std::string to_string(const Gid& gid) {
  std::string text;
  for (int i = 0; i < 8; ++i)
    text += fmt::format("{}{:04x}", i == 0 ? "" : ":",
                        gid[static_cast<std::size_t>(i / 4)] >> (48 - i % 4 * 16) & 0xffff);
  return text;
}

std::optional<Gid> gid_from(std::string_view text) {
  std::array<std::uint8_t, 16> bytes{};
  if (::inet_pton(AF_INET6, std::string(text).c_str(), bytes.data()) != 1) return std::nullopt;
  return Gid{get_bits(bytes, 0, 64), get_bits(bytes, 64, 64)};
}

}  // namespace weft::inline base
