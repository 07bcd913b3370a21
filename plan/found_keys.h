#pragma once
// P_Key tables and checks as a manager finds them on the devices when it takes over from one whose policy it
// does not know, and its own policy is not in force: they stay until there is a policy that is.

#include <map>
#include <memory>
#include <utility>

#include "partitions/plan_keys.h"
#include "plan/plan.h"

namespace weft::plan {

struct FoundKeys {
  std::map<Guid, partitions::Keys> tables;  ///< By port GUID.
  struct Check {
    partitions::Enforcement by = partitions::Enforcement::off;
    partitions::Keys keys;
    bool operator==(const Check&) const = default;
  };
  std::map<std::pair<Guid, PortNum>, Check> checks;  ///< By switch and outer port.
};

/// What plan_keys is to fall back to. `before` (may be null) may be older than what was found: of its tables
/// none is kept.
std::shared_ptr<const partitions::Memory> remembered(const FoundKeys& found,
                                                     const partitions::Memory* before);

/// A plan with a refused policy, in which switch ports check as they did; any other plan as it is.
Planned checking_as_found(const fabric::Fabric& fabric, Planned planned, const FoundKeys& found);

}  // namespace weft::plan
