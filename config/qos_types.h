#pragma once
// Quality of service as the configuration file has it: levels by name, and rules that say which traffic gets
// which.

#include <optional>
#include <string_view>
#include <vector>

#include "config/types.h"
#include "qos/policy.h"

namespace weft::config {

/// { storage: { sl: 2, weight: 4, rate: 100G }, kv-cache: { priority: strict } }
Type<std::vector<qos::Level>> level_map();
/// [ { level: storage, destination: ["nas*"], service: [nvme-of, 0x100-0x1ff] } ]
Type<std::vector<qos::Rule>> rule_list();

/// Service ids that a name stands for; nothing for an unknown one. "rdma-cm:4420" is that port of RDMA-CM's
/// TCP port space. Source: IBTA annexes A11 and A3; registered TCP ports.
std::optional<qos::Range> service_named(std::string_view name);

}  // namespace weft::config
