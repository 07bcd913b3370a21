#pragma once
// Which LFT blocks must be sent before all hosts reach each other again.

#include <set>
#include <utility>

#include "plan/plan.h"

namespace weft::bench {

using UrgentBlocks = std::set<std::pair<SwitchId, std::uint32_t>>;

/// A block counts when an entry in it for a host's LID has changed and traffic between hosts uses it. Every
/// host's packets are followed. `before` is of a Fabric with other ids perhaps; entries of a switch that was
/// not there are new.
UrgentBlocks urgent_blocks(const fabric::Fabric& fabric, const plan::Plan& plan, const plan::Plan& before);

}  // namespace weft::bench
