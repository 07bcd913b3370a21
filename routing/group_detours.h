#pragma once
// GroupDetours: for a fabric of groups, by which third group two go that have lost all links between them.
// Global links to a higher group are on one VL, those to a lower one on another; so going up and down again
// is safest, then going down twice. Source: reference "Routing", 2.4.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace weft::routing {

struct GroupDetours {
  static constexpr std::uint32_t kNone = ~0U;

  std::uint32_t groups = 0;
  std::vector<std::uint32_t>
      via;                ///< By [from * groups + to]; kNone where they are linked, or nothing helps.
  std::size_t count = 0;  ///< Pairs that go by a third.

  std::uint32_t by(std::uint32_t from, std::uint32_t to) const { return via[from * groups + to]; }

  /// Lower is safer: up and down again, down twice, anything else.
  static int preference(std::uint32_t from, std::uint32_t x, std::uint32_t to) {
    if (x > from && x > to) return 0;
    return from > x && x > to ? 1 : 2;
  }
};

/// Among equally safe ones, spread over the pairs.
GroupDetours group_detours(std::uint32_t groups,
                           const std::function<bool(std::uint32_t, std::uint32_t)>& linked);

/// "3 pairs of groups have no link left and go by a third group", or empty.
std::string describe(const GroupDetours& detours);

}  // namespace weft::routing
