#pragma once
// YAML text to a Value tree, or the one place where it stops being YAML. The only user of yaml-cpp. Never
// throws, and what it costs is bounded by the limits below, whatever the text.

#include <cstddef>
#include <string_view>

#include "config/value.h"

namespace weft::config {

inline constexpr std::size_t kMaxFileBytes = 64u << 20;
inline constexpr int kMaxDepth = 32;
inline constexpr std::size_t kMaxValues = 1'000'000;       ///< Anchors and aliases count as what they hold.
inline constexpr std::size_t kMaxCopiedBytes = 16u << 20;  ///< Text that aliases may repeat.

struct Parsed {
  Value root;  ///< Null for a text without content.
  /// Empty when the text is YAML; otherwise `root` means nothing.
  Remarks problems;
};

Parsed parse_yaml(std::string_view text);

}  // namespace weft::config
