#pragma once
// Rates and selectors as the SA codes them. The codes are not in order of speed; everything is compared by
// speed. Source: IBTA vol. 1, 15.2.5.16 and release 1.5, 1.7 additions.

#include <cstdint>
#include <optional>

#include "base/link.h"

namespace weft::sa {

/// Gb/s * 10 of a rate code, 25 for 2.5 Gb/s; 0 for codes that are none.
int rate_speed(std::uint8_t code);
/// The code of a link, as its nominal speed; 0 for a link without speed.
std::uint8_t rate_of(LinkWidth width, LinkSpeed speed);
/// The fastest code that is not faster; 0 when there is none.
std::uint8_t rate_at_most(int speed);
/// The fastest code that is slower; 0 when there is none.
std::uint8_t rate_below(std::uint8_t code);

enum class Selector : std::uint8_t { greater = 0, less = 1, exactly = 2, best = 3 };

/// What of a range can be had.
struct Pick {
  bool invalid = false;  ///< The code asked for is none: 0x0200.
  std::optional<std::uint8_t> value;
};
/// From 1 to the path's MTU code; asked is an MTU code.
Pick pick_mtu(Selector selector, std::uint8_t asked, std::uint8_t path);
/// The path's rate, or a slower one where less is asked for.
Pick pick_rate(Selector selector, std::uint8_t asked, std::uint8_t path);
/// From 1 (0 when the path's is 0) to the path's lifetime.
Pick pick_lifetime(Selector selector, std::uint8_t asked, std::uint8_t path);

}  // namespace weft::sa
