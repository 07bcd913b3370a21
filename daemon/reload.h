#pragma once
// Whether a configuration may take the place of the one in force while the daemon runs.

#include <string>

#include "config/read.h"

namespace weft::daemon {

/// Keys that would need a restart, in a sentence; empty when none has changed.
std::string restart_needed(const config::Loaded& in_force, const config::Loaded& next);

/// Why a configuration that was read without a fault is not taken over; empty: it is. Keys that need a
/// restart must not change, and a file that says nothing at all, as one that is just being written, must not
/// open a fabric that has partitions.
std::string objection(const config::Loaded& in_force, const config::Loaded& next);

/// "sweep.interval from 10s to 20s, log.level from info to debug"; long and secret values are left out.
std::string what_changes(const config::Settings& before, const config::Settings& after);

}  // namespace weft::daemon
