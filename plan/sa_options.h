#pragma once
// SaOptions: settings that the answers of the subnet administration depend on.

#include <cstdint>

namespace weft::plan {

/// When IPv6 solicited-node groups, one for about every interface, share a multicast LID.
enum class ShareMlids : std::uint8_t { never, when_full, always };

struct SaOptions {
  ShareMlids share_mlids = ShareMlids::when_full;
  int max_rate = 0;      ///< No faster one is told, in tenths of Gb/s; 0: no limit.
  int group_rate = 100;  ///< Of the groups that the manager keeps, likewise; 0: that of the slowest member.
  /// Alias GUIDs that there are to choose from when clients leave the choice to us.
  std::uint64_t alias_guids = std::uint64_t{1} << 32;
  bool operator==(const SaOptions&) const = default;
};

}  // namespace weft::plan
