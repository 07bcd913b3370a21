#pragma once
// Changes: what events come to, for people who ask what changed: a sentence each, what was told several times
// once, links and nodes that went and came back as one, and likewise the states that a port passed through.
// Pure.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/status.h"

namespace weft::daemon {

struct Change {
  std::string_view group;  ///< "links", "nodes", "LIDs", "routes", "configuration", "managers", "other".
  std::string text;
  Severity severity = Severity::info;
  WallTime first{};
  WallTime last{};
  int times = 1;
};

/// The group that a kind of event belongs to.
std::string_view group_of(std::string_view kind);

/// By group in the order above, in each by the time of the first. `events`: oldest first.
std::vector<Change> changes_of(std::span<const Event> events);

}  // namespace weft::daemon
