#pragma once
// From what the wire says to what the Fabric holds.

#include <optional>
#include <string>

#include "fabric/fabric.h"
#include "mad/node_info.h"
#include "mad/port_info.h"
#include "mad/switch_info.h"

namespace weft::discovery {

/// Why an answered NodeInfo cannot be true, or nothing.
std::optional<std::string> nonsense_in(const mad::NodeInfo& info);

fabric::Node to_node(const mad::NodeInfo& info);
/// `guid` for end ports; 0 elsewhere.
fabric::Port to_port(const mad::PortInfo& info, Guid guid);
fabric::SwitchFacts to_switch_facts(const mad::SwitchInfo& info);

/// A link that carries packets: trained, and at least Init.
bool is_up(const fabric::Port& port);

}  // namespace weft::discovery
