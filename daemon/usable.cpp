#include "daemon/usable.h"

#include "discovery/leave_out.h"
#include "plan/capacity.h"

namespace weft::daemon {

discovery::Discovered without_too_small(discovery::Discovered found, const plan::LidOptions& options,
                                        const plan::Ledger& ledger) {
  while (true) {
    const plan::Capacity capacity = plan::find_too_small(*found.fabric, options, ledger);
    std::vector<discovery::Finding> findings;
    for (const SwitchId id : capacity.too_small) {
      const fabric::Node& node = found.fabric->node(id);
      if (found.fabric->node_of(id) == found.own_port.node) continue;  // without us there is no fabric
      findings.push_back({discovery::Finding::Kind::too_small, node.guid,
                          fmt::format("{} is left out: it forwards to LIDs up to {} only (LinearFDBCap {}), "
                                      "and {} is in use; lower the LMC or replace the switch",
                                      fabric::describe(node), node.switch_facts.lft_capacity - 1,
                                      node.switch_facts.lft_capacity, raw(capacity.top))});
    }
    if (findings.empty()) return found;
    found = discovery::leave_out(found, findings);
  }
}

}  // namespace weft::daemon
