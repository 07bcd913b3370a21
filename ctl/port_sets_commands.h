#pragma once
// weftctl port-sets: the sets of ports of adaptive routing.

#include <string>

#include <boost/json/value.hpp>

#include "ctl/commands.h"

namespace weft::ctl {

std::string port_sets_text(const boost::json::value& switches, const Style& style);
/// Leaves that share a set stand in one line.
std::string port_sets_of_text(const boost::json::value& sets, const Style& style);

/// How many each switch has; of one switch (a name, GUID or LID; empty: none) those for the leaves that match
/// `leaf`, a glob.
Exit show_port_sets(const Client& client, const Output& output, const std::string& at,
                    const std::string& leaf);

}  // namespace weft::ctl
