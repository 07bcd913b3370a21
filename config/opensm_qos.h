#pragma once
// Reads OpenSM's QoS policy file: qos-ulps, port-groups, qos-levels, qos-match-rules.

#include <string_view>

#include "config/report.h"
#include "qos/policy.h"

namespace weft::config {

/// The same meaning as in OpenSM 3.3: match rules in their order, then those of qos-ulps; the level DEFAULT
/// (or the `default` ulp) for the rest. What OpenSM parses and ignores (qos-setup, path-bits) is a note;
/// everything it would overlook is a problem with its line.
qos::Policy read_opensm_qos(std::string_view text, Report& report);

}  // namespace weft::config
