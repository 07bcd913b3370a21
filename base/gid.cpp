#include "base/gid.h"

#include <fmt/format.h>

namespace weft::inline base {

std::string to_string(const Gid& gid) {
  std::string text;
  for (int i = 0; i < 8; ++i)
    text += fmt::format("{}{:04x}", i == 0 ? "" : ":",
                        gid[static_cast<std::size_t>(i / 4)] >> (48 - i % 4 * 16) & 0xffff);
  return text;
}

}  // namespace weft::inline base
