#pragma once
// Design: the cabling as it has ever been seen. Engines number ways by their place in the design, not among
// those that happen to live, so a dead link leaves a hole and shifts nothing, and a repaired one gets its old
// entries back. The caller keeps the Design between runs; without one the fabric at hand is its own design.

#include <bitset>
#include <cstdint>
#include <memory>
#include <vector>

#include "routing/routes.h"

namespace weft::routing {

/// What a switch port was cabled to.
struct DesignPort {
  Guid at{};
  PortNum port{};
  Guid peer{};  ///< Node GUID of the switch behind it; 0 for an end port.
  PortNum peer_port{};
  auto operator<=>(const DesignPort&) const = default;
};

struct Design {
  std::vector<DesignPort>
      ports;  ///< By rising (at, port), each once; a link between switches from both ends.
  bool operator==(const Design&) const = default;
};

/// What lives now, and what was known of ports that are dark now. A cable that moved is forgotten at both
/// ends. Cost: O(ports).
Design learn(const Design& before, const fabric::Fabric& fabric);
/// Likewise; `before` itself, which may be null, where there is nothing to learn.
std::shared_ptr<const Design> learned(std::shared_ptr<const Design> before, const fabric::Fabric& fabric);

/// The switches of a Problem with those of its design that are gone, and the links among them.
struct DesignGraph {
  struct Edge {
    std::uint32_t a = 0, b = 0;  ///< Indices of switches, a's GUID the lower.
    std::uint8_t port_a = 0, port_b = 0;
    bool live = false;
  };
  /// Index of one end's view of an edge.
  struct End {
    std::uint32_t to = 0;
    std::uint8_t port = 0, far_port = 0;
    bool live = false;
  };

  explicit DesignGraph(const Problem& problem);

  std::uint32_t live = 0;   ///< Switches of the fabric come first, by SwitchId; then those gone, by GUID.
  std::vector<Guid> guids;  ///< By index.
  std::vector<Edge> edges;  ///< No cable from a switch to itself.
  std::vector<std::uint32_t> begin;          ///< By index: first of its `ends`.
  std::vector<End> ends;                     ///< Of each switch by GUID of the neighbour, then own port.
  std::vector<std::bitset<256>> host_ports;  ///< By index: ports that lead or led to an end port.

  std::uint32_t size() const { return static_cast<std::uint32_t>(guids.size()); }
  std::span<const End> ends_of(std::uint32_t s) const {
    return {ends.data() + begin[s], begin[s + 1] - begin[s]};
  }
  std::size_t dead_links() const;

 private:
  std::uint32_t index(Guid guid) const;  ///< size() for a GUID that nobody has.
  void add_live(const fabric::Fabric& fabric);
  void list_ends();
};

/// The groups that the configuration gives, by switch: the lowest of its group. Switches that it does not
/// know, such as those of the design that are gone, go where most of their links lead. Nothing where none are
/// given.
std::vector<std::uint32_t> given_groups(const Problem& problem, const DesignGraph& graph);

/// `compute` for the fabric alone. For when it has been cabled anew, so that what was seen before is in the
/// way.
template <typename Compute>
auto without_design(Problem problem, const Compute& compute) {
  problem.design = nullptr;
  return compute(problem);
}

}  // namespace weft::routing
