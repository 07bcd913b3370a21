#pragma once
// Rates as subnet administration codes them, and as people say them. The codes are not in order of speed;
// everything is compared by speed. Source: IBTA vol. 1, 15.2.5.16 and release 1.5, 1.7 additions.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/link.h"

namespace weft::inline base {

/// Gb/s * 10 of a rate code, 25 for 2.5 Gb/s; 0 for codes that are none.
int rate_speed(std::uint8_t code);
/// The code of a link, as its nominal speed; 0 for a link without speed.
std::uint8_t rate_of(LinkWidth width, LinkSpeed speed);
/// The fastest code that is not faster; 0 when there is none.
std::uint8_t rate_at_most(int speed);
/// The fastest code that is slower; 0 when there is none.
std::uint8_t rate_below(std::uint8_t code);

/// "2.5G", "100G" to Gb/s * 10. Nothing for other texts.
std::optional<int> rate_speed_from(std::string_view text);
std::string rate_speed_text(int speed);

}  // namespace weft::inline base
