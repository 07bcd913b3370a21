#pragma once
// Net files of ibsim and listings of ibnetdiscover: one line-oriented form, read by one reader.
//
// Read: GUID, vendor, device and system directives (also `+` and `0x..(port guid)`), Switch, Ca, Hca and Rt
// records, port GUIDs in parentheses, [ext N], per-port w= s= e= and their file-wide forms, the trailer
// "4xEDR", `module`, "enhanced port 0". LIDs in comments are passed over, as are `do` lines and any line
// ibsim would ignore. Not read: `include` and ports with an alias (@); both are refused.
//
// What the text leaves open is what ibsim makes of it: GUIDs count up from 0x100000 (HCAs) and 0x200000
// (others), a link that says nothing is 4x SDR, a port GUID is node GUID + port number. Ids S-<16 digits>,
// H-.. and R-.. give the GUID.

#include <string>
#include <string_view>

#include "topology/topology.h"

namespace weft::topology {

/// Errors: `malformed`, `conflict` or `invalid`, each as "file:line: reason".
Result<Topology> read_ibsim(std::string_view text, std::string_view file_name);

/// A net file for ibsim, in the topology's order of nodes. Reading it gives an equal topology, except for
/// port GUIDs of ports without a cable that are not node GUID + port number, and for quotes in descriptions.
std::string write_ibsim(const Topology& topology);

/// The listing that ibnetdiscover would print of it, with all LIDs 0: switches first, ids made of GUIDs.
std::string write_ibnetdiscover(const Topology& topology);

}  // namespace weft::topology
