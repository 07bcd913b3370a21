#pragma once
// Why a port is, or is not, a member of a partition: the policy's lines that mean it.

#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "partitions/plan_keys.h"

namespace weft::partitions {

struct Reason {
  std::string line;  ///< "h0*", "all", as the policy says it.
  Membership as = Membership::none;
  bool counts = false;  ///< It is the one that decides.
};

/// The lines of one partition that mean an end port, in their order; empty when none does.
std::vector<Reason> reasons(const fabric::Fabric& fabric, const Partition& partition, fabric::PortRef port,
                            fabric::PortRef self);

/// "in both directions", "what comes in", "what goes out", "not".
std::string_view words(Enforcement enforcement);

}  // namespace weft::partitions
