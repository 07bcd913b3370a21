#pragma once
// Our own JSON form of a topology. It keeps everything a Topology holds, so that writing and reading gives it
// back exactly; cables name nodes by id, so that people can edit it:
//
//   {"weft_topology": 1, "name": "...",
//    "nodes": [{"id": "L1-00", "type": "switch", "guid": "0x...", "ports": 36, ...}, ...],
//    "cables": [["h00000", 1, "L1-00", 1, "4x", "HDR"], ...]}
//
// A node may also have: description (default: its id), system_guid (its guid), port_guids (guid + port
// number; switches: guid), vendor (713), device (0), enhanced_port0 (false).

#include <string>
#include <string_view>

#include "topology/topology.h"

namespace weft::topology {

/// Errors: `malformed`, `not_found`, `invalid` or `conflict` as "file:line: reason", the line being that of
/// the node or cable concerned; without a line when the whole is no topology. An unknown key is an error.
Result<Topology> read_json(std::string_view text, std::string_view file_name);

/// One node or cable a line.
std::string write_json(const Topology& topology);

}  // namespace weft::topology
