#pragma once
// Fabrics with LIDs on their ports, and what the tests of planning ask of an assignment.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/fabric.h"
#include "plan/lids.h"
#include "plan/plan.h"
#include "plan/view.h"

namespace weft::plan {

/// The same fabric, its end ports Active and with the LIDs that were assigned: what is found after
/// programming.
fabric::Fabric addressed(const fabric::Fabric& fabric, const Lids& lids);
/// The same fabric with these LIDs, by port GUID, on ports in a state.
fabric::Fabric carrying(const fabric::Fabric& fabric, const std::map<Guid, Lid>& lids,
                        PortState state = PortState::active);

Ledger ledger_of(LidMap lids);
/// The LID of a port GUID after the assignment; 0 for none.
Lid lid_of(const fabric::Fabric& fabric, const Lids& lids, Guid port);
/// GUIDs of all host ports, in order of node.
std::vector<Guid> host_ports(const fabric::Fabric& fabric);
std::vector<Guid> switch_ports(const fabric::Fabric& fabric);

/// What is wrong with an assignment: overlaps, ranges that are not legal; empty when nothing is.
std::string fault_of(const fabric::Fabric& fabric, const Lids& lids);
/// Whether some note has all of the words in it.
bool tells(const std::vector<std::string>& notes, const std::vector<std::string>& words);

/// Plans the fabric and publishes it, the manager being on the first host. Fails the test when there is no
/// plan.
struct Published {
  explicit Published(fabric::Fabric what, const Config& config = {});
  View view;
};

}  // namespace weft::plan
