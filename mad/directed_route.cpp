#include "mad/directed_route.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

namespace weft::mad {

DirectedRoute::DirectedRoute(std::span<const PortNum> ports)
    : hops_(static_cast<std::uint8_t>(ports.size())) {
  assert(ports.size() <= kMaxHops);
  std::ranges::copy(ports, ports_.begin());
}

DirectedRoute DirectedRoute::then(PortNum port) const {
  assert(!full());
  DirectedRoute longer = *this;
  longer.ports_[longer.hops_++] = port;
  return longer;
}

bool DirectedRoute::operator==(const DirectedRoute& other) const {
  return hops_ == other.hops_ && std::equal(ports_.begin(), ports_.begin() + hops_, other.ports_.begin());
}

std::string to_string(const DirectedRoute& route) {
  std::string text = "0";
  for (int i = 0; i < route.hops(); ++i) fmt::format_to(std::back_inserter(text), ",{}", raw(route.port(i)));
  return text;
}

}  // namespace weft::mad
