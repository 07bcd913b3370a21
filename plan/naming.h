#pragma once
// What the configuration says of switches and hosts by name, for routing: ranks, groups, kinds of hosts.

#include <string>
#include <utility>
#include <vector>

#include "fabric/fabric.h"
#include "plan/config.h"

namespace weft::plan {

struct Naming {
  std::vector<std::pair<Guid, std::uint32_t>> ranks;   ///< By rising GUID, as Problem::ranks.
  std::vector<std::pair<Guid, std::uint32_t>> groups;  ///< Likewise.
  std::vector<std::uint8_t> kinds;                     ///< By NodeId: 0 compute, 1 storage, 2 I/O.
  std::vector<std::string> notes;                      ///< Words that mean nobody here.
};

/// A word is a node GUID, a host's port GUID, or a name with `*` and `?`; where two fit, the first counts. A
/// word for groups stands for one group, or, with `{}` in it, for as many as there are different texts in
/// that place: "R-g{}-*" puts R-g002-01 and R-g002-17 together. Cost: O(words * nodes).
Naming read_names(const fabric::Fabric& fabric, const RoutingOptions& options);

/// The text in the place of `{}` where the pattern describes the whole, the first and shortest; nothing where
/// it does not, and empty for a pattern without `{}` that does.
std::optional<std::string_view> part_named(std::string_view pattern, std::string_view text);

}  // namespace weft::plan
