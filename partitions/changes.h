#pragma once
// What a change of P_Key tables means for people: who gained or lost access to which partition.

#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "partitions/plan_keys.h"

namespace weft::partitions {

struct Standing {
  const fabric::Fabric& fabric;
  const PlannedKeys& plan;
};

/// A sentence for each partition whose membership changed, of ports that both fabrics have; in order of keys.
std::vector<std::string> access_changes(const Standing& before, const Standing& after);

}  // namespace weft::partitions
