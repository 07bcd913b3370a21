#pragma once
// The fabric held against the topology it should have: what is missing, what should not be there, what is
// plugged where it does not belong, and how to mend it. Pure; the judgement is of cables and devices, not of
// port states.
//
// A node of the topology is found by its GUID, else by its name: that is another device then, unless most of
// the topology's GUIDs are nobody's, as in a design. Who stands where an unknown one should, with all its
// cables, is taken for a replacement, too. Cables are then compared as two sets of pairs of ports: each
// connected piece of both together is a cable missing, one too many, a plug beside its place, or a ring of
// plugs that have changed places, of which two are the usual case.

#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "topology/topology.h"

namespace weft::plan {

/// A port, by the GUID of its node in the fabric; of a node that is not there, that of the topology.
struct Plug {
  Guid node{};
  PortNum port{};
  auto operator<=>(const Plug&) const = default;
};

/// Take the plug out of one port and put it into another. Those of one mend are done all at once.
struct PlugMove {
  Plug from;
  Plug to;
  bool operator==(const PlugMove&) const = default;
};

struct Deviation {
  enum class Kind {
    missing_node,
    extra_node,
    wrong_device,  ///< Another one than expected stands there, or it is of another kind.
    missing_cable,
    extra_cable,
    swapped,    ///< Plugs have changed places.
    misplaced,  ///< A plug is in another port than it should be.
    slow,       ///< Slower or narrower than expected.
  };
  Kind kind = Kind::missing_cable;
  Plug place;                   ///< Where to look first.
  std::string what;             ///< A sentence.
  std::string mend;             ///< Likely mend, an imperative; empty: none but the obvious.
  std::vector<PlugMove> moves;  ///< The same for programs: afterwards these cables are as expected.
  bool operator==(const Deviation&) const = default;
};
std::string_view name(Deviation::Kind kind);  ///< "missing node", ...

/// Deviations by kind, then place. Cost: O((nodes + ports) log ports). A cable to a node that is missing is
/// not told apart from it.
std::vector<Deviation> deviations(const fabric::Fabric& fabric, const topology::Topology& expected);

/// The fabric as a topology that it deviates from in nothing. Node ids are made of names where these are
/// unique, else of GUIDs.
topology::Topology topology_of(const fabric::Fabric& fabric, std::string name);

}  // namespace weft::plan
