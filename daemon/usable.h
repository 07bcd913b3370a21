#pragma once
// Usable: what of a fabric as found can be planned for.

#include "discovery/discover.h"
#include "plan/config.h"
#include "plan/ledger.h"

namespace weft::daemon {

/// Without the switches whose table is too small for the LIDs in use, each with a finding that says so; the
/// one we hang on stays.
discovery::Discovered without_too_small(discovery::Discovered found, const plan::LidOptions& options,
                                        const plan::Ledger& ledger);

}  // namespace weft::daemon
