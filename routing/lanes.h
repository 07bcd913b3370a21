#pragma once
// Lanes: what routing demands of SL2VL. A switch picks the VL of a packet by the ports it comes and goes
// through, never by the VL it has; so a demand is a class for every port and a VL for every pair of classes.
// It holds for every SL alike: answers return on the request's SL, and clients that pick their own stay safe.

#include <array>
#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace weft::routing {

struct Lanes {
  static constexpr std::size_t kClasses = 4;
  static constexpr std::uint8_t kEndClass = 0;  ///< Ports to hosts, port 0, and ports without a link.

  int count = 1;  ///< VLs 0 .. count - 1 are used.
  /// By SwitchId, then port number: the class of a port.
  std::vector<std::vector<std::uint8_t>> port_class;
  /// By class of the port in, then of the port out.
  std::array<std::array<std::uint8_t, kClasses>, kClasses> vl{};

  std::uint8_t class_of(std::size_t s, std::size_t port) const {
    return s < port_class.size() && port < port_class[s].size() ? port_class[s][port] : kEndClass;
  }
  Vl at(SwitchId s, PortNum in, PortNum out) const {
    return static_cast<Vl>(vl[class_of(raw(s), raw(in))][class_of(raw(s), raw(out))]);
  }
  bool operator==(const Lanes&) const = default;
};

}  // namespace weft::routing
