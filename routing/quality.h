#pragma once
// Quality: how evenly tables spread traffic over the links between switches. Everything is counted on the
// tables alone, at flow level: a flow is one host sending to one LID as fast as it can, and as many flows as
// meet on a link share it. Source: reference "Routing", 5.3; congestion risk as Gliksberg et al., Dmodc;
// effective bisection as Schneider, Hoefler and Lumsdaine, ORCS.
//
// Hosts are taken in order of switch and port; in a tree, of their place in it, which is the order in which
// ranks of a job are best laid out. Every random choice comes from the seed.

#include <cstdint>
#include <string>
#include <vector>

#include "routing/port_sets.h"
#include "routing/routes.h"

namespace weft::routing {

struct QualityOptions {
  std::uint32_t shifts = 200;       ///< Of all shifts so many, drawn by seed; the shift by one always.
  std::uint32_t permutations = 20;  ///< Random ones.
  std::uint32_t bisections = 20;
  std::uint32_t seed = 1;
  /// Hosts of the job whose collectives are estimated, in rank order: indices into hosts_in_order; empty:
  /// all.
  std::vector<std::uint32_t> job;
  double message_bytes = 64e6;        ///< AllReduce: of the vector; AllToAll: what each host sends in all.
  double link_bytes_a_second = 25e9;  ///< Of every link.
  bool operator==(const QualityOptions&) const = default;
};

/// Seconds that collectives take, nothing but bandwidth counted.
struct Collectives {
  double ring = 0;      ///< AllReduce, ring.
  double doubling = 0;  ///< AllReduce, recursive doubling.
  double all_to_all = 0;
  bool operator==(const Collectives&) const = default;
};

struct Quality {
  std::uint32_t hosts = 0;
  std::uint64_t unreached = 0;    ///< Pairs of hosts that the tables do not join.
  std::uint32_t shift_worst = 0;  ///< Most flows on a link, over the shifts.
  double shift_mean = 0;          ///< Mean over the shifts of the most flows on a link.
  double permutation = 0;         ///< Median over random permutations of the most flows on a link.
  std::uint32_t all_to_all_risk =
      0;  ///< All pairs: most over links of the lesser of sources and destinations.
  std::uint64_t forwarding_index = 0;  ///< All pairs: most routes on a link.
  double forwarding_mean = 0;          ///< Mean over links between switches that carry any.
  double bisection =
      0;  ///< Mean share of its link that a flow gets in random pairings of one half with the other.
  int longest = 0;  ///< Links between switches on the longest way between hosts.
  double length_mean = 0;
  Collectives alone;  ///< As if no two flows met: the bound.
  Collectives by_tables;
  Collectives
      adaptive;  ///< Every switch splits a flow evenly over the members of its port sets; 0 without sets.
  bool operator==(const Quality&) const = default;
};

/// Indices into Problem::destinations, one a host port.
std::vector<std::uint32_t> hosts_in_order(const Problem& problem);

/// `sets` may be null. Cost: O(hosts * switches with hosts * length) for all pairs, O(hosts * length) a
/// pattern.
Quality measure(const Problem& problem, const Routes& routes, const PortSets* sets,
                const QualityOptions& options = {});

}  // namespace weft::routing
