#pragma once
// Base64, as etcd's JSON gateway has keys and values.

#include <string>
#include <string_view>

#include "base/result.h"

namespace weft::etcd {

std::string to_base64(std::string_view bytes);
/// Errors: `malformed` for what is no base64 with its padding.
Result<std::string> from_base64(std::string_view text);

}  // namespace weft::etcd
