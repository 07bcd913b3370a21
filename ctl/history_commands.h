#pragma once
// The commands that look back: events, sweeps, what changed.

#include "ctl/commands.h"

namespace weft::ctl {

/// Which events to show; empty: all.
struct EventOptions {
  std::uint64_t after = 0;
  std::uint64_t limit = 0;  ///< 0: 100, or all with `since`.
  std::string since;        ///< "1h", or a time.
  std::string until;
  std::string kind;  ///< Globs, with commas.
  std::string severity;
  std::string node;
  std::string port;  ///< NODE/PORT.
  bool follow = false;
};

/// `follow`: for ever, until the daemon goes away.
Exit show_events(const Client& client, const Output& output, const EventOptions& options);
/// `since` empty: those that the daemon has in memory.
Exit show_sweeps(const Client& client, const Output& output, const std::string& since);
Exit show_changes(const Client& client, const Output& output, const std::string& since);

std::string sweeps_text(const boost::json::value& sweeps, const Style& style);
std::string changes_text(const boost::json::value& changes, const Style& style);

}  // namespace weft::ctl
