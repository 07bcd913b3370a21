#pragma once
// Action: one thing that goes wrong, or right again, as people write it: a verb, what it is about and
// arguments, in a script's step or on one line: "cut L1-00[7]", "reboot S1 away=2s", "lose h00001 rate=30%".
// An Action is made for one World: names are looked up, and refused, when it is made, not when it happens.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sim/faults/faults.h"

namespace weft::sim {

struct Argument {
  std::string name;  ///< Empty: what the verb is about.
  std::string value;
};

/// Errors: `invalid` (unknown verb or argument, a value that is none), `not_found` (no such node, port,
/// cable).
Result<Action> make_action(const World& world, std::string_view verb, const std::vector<Argument>& arguments);

/// From one line; words with blanks stand in double quotes. Errors: as above, and `malformed`.
Result<Action> action_from(const World& world, std::string_view line);

struct VerbHelp {
  std::string_view name;
  std::string_view takes;
  std::string_view does;
};
/// Every verb, in the order they are documented in.
std::vector<VerbHelp> verbs();

}  // namespace weft::sim
