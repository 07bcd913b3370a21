#pragma once
// The commands of weftctl about service levels.

#include "ctl/commands.h"

namespace weft::ctl {

/// What `explain qos` is asked with; empty: not said.
struct QosQuestion {
  std::string from;
  std::string to;
  std::string pkey;
  std::string service;
  std::string qos_class;
};

Exit show_levels(const Client& client, const Output& output);
/// Which rule and level a path gets, and the lane on each hop.
Exit explain_qos(const Client& client, const Output& output, const QosQuestion& question);

std::string levels_text(const boost::json::value& levels, const Style& style);
std::string qos_text(const boost::json::value& answer, const Style& style);

}  // namespace weft::ctl
