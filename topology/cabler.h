#pragma once
// Cabler: what all blueprints are built with. Switches and links between them first, then hosts into the
// slots that the switches keep for them (their first ports).
//
// Conventions of every made fabric: hosts stand first in the topology; switch number i has GUID
// 0x0002c90100000000 + i, host adapter j 0x0002c90200000000 + 16 j and port GUIDs after it. A switch's host
// ports come first, then down links, then up or network links. It is the same fabric for the same blueprint,
// always.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topology/topology.h"

namespace weft::topology {

/// What a fabric would need, before it is built.
struct Needs {
  std::uint64_t switches = 0;
  std::uint64_t host_ports = 0;    ///< LIDs that the hosts take.
  std::uint64_t switch_ports = 0;  ///< Of the widest switch.
};

/// Errors: `invalid` where LIDs (49,151) or ports of a switch (254) would not do.
Result<void> check_fits(const Needs& needs);

/// Product that stops growing at 2^32, so that absurd sizes stay comparable.
std::uint64_t product(std::initializer_list<std::uint64_t> factors);
std::uint64_t product(const std::vector<std::uint32_t>& factors, std::size_t first, std::size_t last);

/// "L2-03-07": positions with a single possible value are left out.
std::string digits_name(std::string_view prefix, const std::vector<std::uint32_t>& digits,
                        const std::vector<std::uint32_t>& bases);

/// Calls visit(digits) for every tuple with digits[i] < bases[i], the last digit running fastest.
template <typename Visit>
void for_each_tuple(const std::vector<std::uint32_t>& bases, Visit visit) {
  std::vector<std::uint32_t> digits(bases.size(), 0);
  for (;;) {
    visit(std::as_const(digits));
    std::size_t place = bases.size();
    while (place > 0 && ++digits[place - 1] == bases[place - 1]) digits[--place] = 0;
    if (place == 0) return;
  }
}

/// How hosts use the slots.
struct HostPlan {
  std::uint32_t rails =
      1;  ///< Leaves are taken in blocks of so many; a host has one port, or bundle, on each.
  std::uint32_t parallel = 1;  ///< Links per host and leaf.
  bool rail_ports = false;     ///< Rails are ports of one adapter, not adapters of their own ("h00000-r1").
};

class Cabler {
 public:
  /// Returns the switch's number. `role` is part of its description; `host_slots` ports bundles are kept for
  /// hosts.
  std::uint32_t add_switch(std::string id, std::string_view role, std::uint32_t host_slots = 0);
  /// Joins two switches; ports from 1.
  void link(std::uint32_t a, std::uint32_t port_a, std::uint32_t b, std::uint32_t port_b);
  /// Errors: `invalid` if the leaves do not fall into blocks of `rails`, or an adapter would have over 15
  /// ports.
  Result<void> attach_hosts(const HostPlan& plan);

  /// The topology. Every node gets as many ports as the widest of its role, switches `radix` if that is not
  /// 0. Errors: `invalid` if a switch needs more than `radix`.
  Result<Topology> finish(std::uint32_t radix, LinkWidth width, LinkSpeed speed) &&;

 private:
  struct Leaf {
    std::uint32_t node;
    std::uint32_t slots;
  };
  std::uint32_t add_host(std::string id, std::string description);
  void use_port(Node& node, std::uint32_t port);

  std::vector<Node> switches_;
  std::vector<Node> hosts_;
  std::vector<std::string> roles_;  ///< Of the switches.
  std::vector<Leaf> leaves_;
  std::vector<Cable> switch_cables_;  ///< Both ends are indices into switches_.
  std::vector<Cable> host_cables_;    ///< a: index into hosts_, b: into switches_.
};

}  // namespace weft::topology
