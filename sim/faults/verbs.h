#pragma once
// The tables of verbs, a file for each kind. A new verb is one function and one line there.

#include <span>

#include "sim/faults/reading.h"

namespace weft::sim {

struct Verb {
  std::string_view name;
  std::string_view takes;
  std::string_view does;
  /// Reads the arguments; what it returns counts only when nothing was wrong with them.
  Action (*make)(Reading&);
};

std::span<const Verb> link_verbs();
std::span<const Verb> node_verbs();
std::span<const Verb> packet_verbs();

}  // namespace weft::sim
