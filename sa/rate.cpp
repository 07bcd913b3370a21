#include "sa/rate.h"

#include <algorithm>
#include <array>

namespace weft::sa {
namespace {

/// Gb/s * 10 by code.
constexpr std::array<int, 26> kSpeeds = {0,    0,    25,  100,  300,  50,   200,   400,  600,
                                         800,  1200, 140, 560,  1120, 1680, 250,   1000, 2000,
                                         3000, 280,  500, 4000, 6000, 8000, 12000, 16000};

/// Of one lane, Gb/s * 10, as rates are named.
constexpr int lane_speed(LinkSpeed speed) {
  constexpr std::array<int, 10> kLane = {0, 25, 50, 100, 100, 140, 250, 500, 1000, 2000};
  return kLane[static_cast<std::size_t>(speed)];
}

}  // namespace

int rate_speed(std::uint8_t code) { return code < kSpeeds.size() ? kSpeeds[code] : 0; }

std::uint8_t rate_at_most(int speed) {
  std::uint8_t best = 0;
  for (std::uint8_t code = 2; code < kSpeeds.size(); ++code)
    if (kSpeeds[code] <= speed && kSpeeds[code] > rate_speed(best)) best = code;
  return best;
}

std::uint8_t rate_of(LinkWidth width, LinkSpeed speed) {
  return rate_at_most(lanes(width) * lane_speed(speed));
}

std::uint8_t rate_below(std::uint8_t code) { return rate_at_most(rate_speed(code) - 1); }

Pick pick_mtu(Selector selector, std::uint8_t asked, std::uint8_t path) {
  if (selector == Selector::best) return {false, path};
  if (asked < 1 || asked > 5) return {true, {}};
  switch (selector) {
    case Selector::greater:
      return {false, path > asked ? std::optional(path) : std::nullopt};
    case Selector::less:
      return {false, asked > 1
                         ? std::optional(std::min<std::uint8_t>(path, static_cast<std::uint8_t>(asked - 1)))
                         : std::nullopt};
    default:
      return {false, asked <= path ? std::optional(asked) : std::nullopt};
  }
}

Pick pick_rate(Selector selector, std::uint8_t asked, std::uint8_t path) {
  if (selector == Selector::best) return {false, path};
  if (rate_speed(asked) == 0) return {true, {}};
  const int wanted = rate_speed(asked);
  const int have = rate_speed(path);
  switch (selector) {
    case Selector::greater:
      return {false, have > wanted ? std::optional(path) : std::nullopt};
    case Selector::less: {
      const std::uint8_t slower = have < wanted ? path : rate_below(asked);
      return {false, slower == 0 ? std::nullopt : std::optional(slower)};
    }
    default:
      return {false, have == wanted ? std::optional(path) : std::nullopt};
  }
}

Pick pick_lifetime(Selector selector, std::uint8_t asked, std::uint8_t path) {
  switch (selector) {
    case Selector::best:
      return {false, path};
    case Selector::greater:
      return {false, path > asked ? std::optional(path) : std::nullopt};
    case Selector::less:
      return {false, asked > 1
                         ? std::optional(std::min<std::uint8_t>(path, static_cast<std::uint8_t>(asked - 1)))
                         : std::nullopt};
    default:
      return {false, asked <= path ? std::optional(asked) : std::nullopt};
  }
}

}  // namespace weft::sa
