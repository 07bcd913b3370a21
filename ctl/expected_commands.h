#pragma once
// weftctl expected: the topology that the fabric should have, and what is otherwise.

#include <string>

#include <boost/json/value.hpp>

#include "base/result.h"
#include "ctl/commands.h"
#include "topology/topology.h"

namespace weft::ctl {

/// What deviates; answers `failed` when something does.
Exit show_expected(const Client& client, const Output& output);
/// Writes the topology of the live fabric, or of `fabric` (as --fabric takes it) when that is not empty.
Exit make_expected(const Client& client, const Output& output, const std::string& file,
                   const std::string& fabric);
/// Answers of /v1/nodes and /v1/links, all pages of each, as a topology. Errors: those of validate().
Result<topology::Topology> topology_of(const boost::json::value& nodes, const boost::json::value& links);

}  // namespace weft::ctl
