#pragma once
// What the daemon's JSON looks like to people. Pure functions from a JSON value to text; what is missing in
// the value shows as "-", so that a weftctl talks to daemons a little older or newer than itself.

#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "ctl/table.h"

namespace weft::ctl {

Colour colour_of_severity(std::string_view severity);
std::string status_text(const boost::json::value& status, const Style& style);
std::string nodes_text(const boost::json::value& nodes, const Style& style);
std::string links_text(const boost::json::value& links, const Style& style);
std::string path_text(const boost::json::value& path, const Style& style);
/// One line an event, oldest first.
std::string events_text(const boost::json::value& events, const Style& style);
/// One sweep's report with its phases.
std::string sweep_text(const boost::json::value& report, const Style& style);
std::string config_text(const boost::json::value& config, const Style& style);

}  // namespace weft::ctl
