#pragma once
// What of a range can be had: the SA's selectors. Source: IBTA vol. 1, 15.2.5.16.

#include <cstdint>
#include <optional>

#include "base/rate.h"

namespace weft::sa {

/// The last code there is.
inline constexpr std::uint8_t kLastRate = 25;
/// The last code that the software of a port can be expected to know: codes came with the speeds that it
/// supports at best.
std::uint8_t last_rate_known_by(LinkSpeed fastest);
/// The rate itself where its code is at most `last` and it is no faster than `most` (rate_speed; 0: no
/// limit), else the fastest that is both.
std::uint8_t rate_within(std::uint8_t code, int most, std::uint8_t last = kLastRate);

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
