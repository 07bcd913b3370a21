#include "plan/expected_mend.h"

#include <algorithm>
#include <optional>
#include <set>

namespace weft::plan {
namespace {

std::optional<PortIndex> partner(const Pairing& pairing, PortIndex port) {
  const auto found = pairing.find(port);
  return found == pairing.end() ? std::nullopt : std::optional(found->second);
}

/// Along cables of the two kinds in turn, until there is none, or back at the start.
std::vector<PortIndex> walk(const Pairing& first, const Pairing& second, PortIndex start) {
  std::vector<PortIndex> ports{start};
  for (bool odd = false;; odd = !odd) {
    const auto next = partner(odd ? second : first, ports.back());
    if (!next || *next == start) return ports;
    ports.push_back(*next);
  }
}

}  // namespace

std::vector<Piece> pieces_of(const Pairing& expected, const Pairing& found) {
  std::set<PortIndex> ports;
  for (const auto& [a, b] : expected)
    if (partner(found, a) != b) ports.insert(a);
  for (const auto& [a, b] : found)
    if (partner(expected, a) != b) ports.insert(a);
  std::vector<Piece> pieces;
  std::set<PortIndex> seen;
  const auto take = [&](Piece piece) {
    seen.insert(piece.ports.begin(), piece.ports.end());
    pieces.push_back(std::move(piece));
  };
  // Paths begin at a port that has only one of the two.
  for (const PortIndex port : ports) {
    const bool wanted = expected.contains(port);
    if (seen.contains(port) || (wanted && found.contains(port))) continue;
    take({wanted ? walk(expected, found, port) : walk(found, expected, port), wanted, false});
  }
  for (const PortIndex port : ports)
    if (!seen.contains(port)) take({walk(expected, found, port), true, true});
  std::ranges::sort(pieces, {}, [](const Piece& piece) { return *std::ranges::min_element(piece.ports); });
  return pieces;
}

}  // namespace weft::plan
