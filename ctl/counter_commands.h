#pragma once
// Counters of ports, and the live view of all: `counters`, `top`.

#include "ctl/commands.h"

namespace weft::ctl {

/// `port` empty: all that the daemon has read; else read twice, a second apart, for its rates.
Exit show_counters(const Client& client, const Output& output, const std::string& port);
/// Redraws every two seconds until it is ended; `once`: draws once.
Exit show_top(const Client& client, const Output& output, bool once);

std::string counters_text(const boost::json::value& counters, const Style& style);

/// What `top` shows, at one moment.
struct Moment {
  boost::json::value status;
  boost::json::value sa;
  boost::json::value events;
  boost::json::value counters;
  boost::json::value slow_links;
  double seconds = 0;  ///< When, by a steady clock.
};
/// `before` may be null; rates are between the two.
std::string top_text(const Moment& now, const Moment* before, const Style& style);

}  // namespace weft::ctl
