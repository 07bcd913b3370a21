#pragma once
// Addresses to listen at, as people write them.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace weft::config {

struct Listen {
  std::string address;  ///< Numeric.
  std::uint16_t port = 0;
  bool loopback = false;
};

/// "127.0.0.1:8723", "[::1]:8723", "localhost:8723". Errors: `invalid`.
Result<Listen> listen_from(std::string_view text);

}  // namespace weft::config
