#include "sa/rate.h"

#include <algorithm>

namespace weft::sa {

std::uint8_t last_rate_known_by(LinkSpeed fastest) {
  if (fastest == LinkSpeed::none || fastest >= LinkSpeed::xdr) return kLastRate;
  if (fastest >= LinkSpeed::ndr) return 24;
  if (fastest >= LinkSpeed::hdr) return 22;
  return fastest >= LinkSpeed::fdr ? 18 : 10;
}

std::uint8_t rate_within(std::uint8_t code, int most, std::uint8_t last) {
  const auto allowed = [=](std::uint8_t one) {
    return one <= last && (most == 0 || rate_speed(one) <= most);
  };
  if (allowed(code)) return code;
  std::uint8_t best = 0;
  for (std::uint8_t one = 2; one <= last; ++one)
    if (allowed(one) && rate_speed(one) <= rate_speed(code) && rate_speed(one) > rate_speed(best)) best = one;
  return best;
}

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
