#include "base/rate.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace weft::inline base {
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

std::optional<int> rate_speed_from(std::string_view text) {
  if (text.empty() || (text.back() != 'G' && text.back() != 'g')) return std::nullopt;
  text.remove_suffix(1);
  double gigabits = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), gigabits);
  if (error != std::errc{} || end != text.data() + text.size() || !(gigabits > 0 && gigabits < 1e6))
    return std::nullopt;
  return static_cast<int>(std::lround(gigabits * 10));
}

std::string rate_speed_text(int speed) { return fmt::format("{:g}G", speed / 10.0); }

}  // namespace weft::inline base
