#pragma once
// Overview: where switches stand in the shape of the fabric, and how many flows each port carries by the
// planned tables. For those who draw it or tell of it; nothing is planned from this. Pure.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plan/view.h"
#include "routing/recognise.h"

namespace weft::plan {

struct Places {
  static constexpr std::uint32_t kNone = ~0U;
  routing::Kind kind = routing::Kind::arbitrary;
  std::string evidence;             ///< In words, as Recognised has it.
  std::vector<std::uint32_t> rank;  ///< By SwitchId, 0 for leaves; kNone where there are no ranks.
  /// By SwitchId: the group of a dragonfly or Dragonfly+; in a tree the part that hangs together without the
  /// top switches, which have kNone.
  std::vector<std::uint32_t> group;
};

/// "tree", "dragonfly", "dragonfly+", "arbitrary".
std::string_view name(routing::Kind kind);

/// The view must have a plan. Cost: O(links log links).
Places places_of(const View& view);

/// Ordered pairs of host ports (and of switches that run an SM) whose packets leave by a port, by index of
/// the Fabric's ports: a host's own port and links between switches alike. Base LIDs only. Cost: O(LIDs *
/// switches).
std::vector<std::uint32_t> flows_of(const View& view);

}  // namespace weft::plan
