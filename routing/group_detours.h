#pragma once
// GroupDetours: for a fabric of groups, by which third groups two go that have lost all links between them.
// Global links to a higher group are on one VL, those to a lower one on another; so going up and down again
// is safest, then going down twice. Source: reference "Routing", 2.4.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace weft::routing {

struct GroupDetours {
  static constexpr std::size_t kMost = 8;  ///< Groups that one pair goes by.

  std::uint32_t groups = 0;
  /// By [from * groups + to]: those to go by; empty where the two are linked, or nothing helps.
  std::vector<std::vector<std::uint32_t>> via;
  std::size_t count = 0;  ///< Pairs that go by others.

  const std::vector<std::uint32_t>& by(std::uint32_t from, std::uint32_t to) const {
    return via[from * groups + to];
  }

  /// Lower is safer: up and down again, down twice, anything else.
  static int preference(std::uint32_t from, std::uint32_t x, std::uint32_t to) {
    if (x > from && x > to) return 0;
    return from > x && x > to ? 1 : 2;
  }
};

enum class Detour {
  any,      ///< All that lead there, however safe: loads are spread widest.
  safest,   ///< All that are as safe as the safest.
  only_one  ///< One of these.
};

/// Of more than kMost some, spread over the pairs; `variant`: which.
GroupDetours group_detours(std::uint32_t groups,
                           const std::function<bool(std::uint32_t, std::uint32_t)>& linked, Detour which,
                           std::uint32_t variant);

/// "3 pairs of groups have no link left and go by other groups", or empty.
std::string describe(const GroupDetours& detours);

}  // namespace weft::routing
