#pragma once
// Judge: what the fabric as programmed can do, found by walking the simulated devices' own tables and port
// states. It knows nothing of the manager that programmed them, so that no fault of a model is repeated in
// its judgement.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/forward.h"
#include "sim/world.h"

namespace weft::sim {

/// Ordered pairs of a source port and a destination LID, itself excluded. A linked port without a LID is a
/// destination that nobody reaches.
struct Reach {
  std::uint64_t host_pairs = 0;  ///< HCA port to HCA port.
  std::uint64_t host_pairs_reached = 0;
  std::uint64_t switch_pairs = 0;  ///< HCA port to switch, and switch to HCA port.
  std::uint64_t switch_pairs_reached = 0;
  std::vector<std::string> failures;  ///< The first few, with the reason and the place.
  bool complete() const { return host_pairs_reached == host_pairs && switch_pairs_reached == switch_pairs; }
};

/// Cost: O(LIDs x switches): one walk a destination, whatever the number of sources.
Reach all_pairs(const World& world, std::size_t max_failures = 10);

/// The way from a port to a LID, hop by hop, and what became of it.
struct Path {
  struct Hop {
    PortIndex out;
    PortIndex in;
  };
  std::vector<Hop> hops;
  PortIndex end = kNoPort;
  Drop drop = Drop::none;
};
Path path(const World& world, PortIndex from, Lid to);
/// "h0[1] > L0[4] > S1[2] > h9[1]", with the reason at the end when it was dropped.
std::string describe(const World& world, PortIndex from, const Path& path);

/// States of all ports at whole cables, HCAs' and switches' external ones.
struct PortSummary {
  std::size_t linked = 0;
  std::size_t down = 0;
  std::size_t init = 0;
  std::size_t armed = 0;
  std::size_t active = 0;
  bool all_active() const { return active == linked; }
};
PortSummary port_summary(const World& world);

/// A cycle of lanes that wait for each other's buffers, when packets of these service levels from hosts to
/// all LIDs, from switches to hosts, and from the ports of managers follow the forwarding and SL2VL tables;
/// nothing when there is none. Returns the cycle as ports left by: "S0[2] > S1[2] VL1 > S2[2] > S0[2]". Cost:
/// O(LIDs x switches x levels + dependencies). Source: Dally and Seitz, channel dependency graphs.
std::optional<std::string> credit_loop(const World& world, std::span<const Sl> levels);
/// The same where packets to a LID carry the one SL that `sl_to` gives, and those to groups SL 0.
std::optional<std::string> credit_loop(const World& world, const std::function<Sl(Lid)>& sl_to);
/// Of SL 0 alone.
std::optional<std::string> credit_loop(const World& world);

}  // namespace weft::sim
