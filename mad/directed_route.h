#pragma once
// DirectedRoute: the ports to leave by, one hop after the other. Source: IBTA vol. 1, 14.2.2.

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "base/ids.h"

namespace weft::mad {

inline constexpr int kMaxHops = 63;

class DirectedRoute {
 public:
  DirectedRoute() = default;
  explicit DirectedRoute(std::span<const PortNum> ports);

  int hops() const { return hops_; }
  /// Port to leave by at hop `i`, counted from 0 (the own node).
  PortNum port(int i) const { return ports_[static_cast<std::size_t>(i)]; }
  bool full() const { return hops_ == kMaxHops; }
  /// This route and one hop more; only when not full().
  DirectedRoute then(PortNum port) const;

  bool operator==(const DirectedRoute& other) const;

 private:
  std::uint8_t hops_ = 0;
  std::array<PortNum, kMaxHops> ports_{};
};

/// "0,1,19,3" as infiniband-diags writes routes: a zero for the own node, then the ports.
std::string to_string(const DirectedRoute& route);

}  // namespace weft::mad
