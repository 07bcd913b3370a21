#pragma once
// Plugs in wrong ports: what two ways of pairing ports, as expected and as found, tell together. Ports are
// plain numbers here.

#include <cstdint>
#include <map>
#include <vector>

namespace weft::plan {

using PortIndex = std::uint32_t;
/// Each cable twice, by either end.
using Pairing = std::map<PortIndex, PortIndex>;

/// Ports joined by cables that are expected or found, but not both. Neighbours in `ports` are joined by an
/// expected cable and a found one in turn; `ring`: the last is joined to the first.
struct Piece {
  std::vector<PortIndex> ports;
  bool starts_expected = false;  ///< The first two are an expected pair.
  bool ring = false;             ///< Then the first two are always an expected pair.
  bool operator==(const Piece&) const = default;
};

/// Every piece once, by its lowest port; paths from their lower end.
std::vector<Piece> pieces_of(const Pairing& expected, const Pairing& found);

}  // namespace weft::plan
