#pragma once
// Script: a YAML file of what goes wrong on a simulated fabric, and when.
//
//     steps:
//       - at: 2s                          # from the start of the script
//         cut: "L1-00[7]"                 # a verb and what it is about ...
//       - at: 3s
//         every: 500ms
//         times: 10
//         reboot: {node: "S*", pick: 1, away: 200ms}     # ... or with its arguments
//       - after: {node: S1, attribute: LinearForwardingTable, method: Set, count: 3}
//         reboot: {node: S1, away: 2s}
//
// The verbs are those of sim/faults/action.h; what a verb is about may be called node, nodes, cable, cables
// or port. Everything is looked up when the file is read; a file with a fault is refused as a whole.

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "sim/faults/faults.h"

namespace weft::sim {

struct Step {
  std::variant<Times, Event> when;
  Action action;
};
using Script = std::vector<Step>;

/// Errors: `malformed` or `invalid` with file and line.
Result<Script> script_from(const World& world, const std::string& text, const std::string& file = "script");
/// Errors: as above; `not_found`.
Result<Script> load_script(const World& world, const std::filesystem::path& file);

/// Times count from now.
void start(Faults& faults, const Script& script);

}  // namespace weft::sim
