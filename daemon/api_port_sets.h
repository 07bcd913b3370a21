#pragma once
// What the control API tells of port sets, the adaptive-routing part of the plan.

#include <memory>

#include "daemon/api_answers.h"
#include "plan/view.h"

namespace weft::daemon {

/// A page of {"guid","name","sets","most_ports","by_tables"} for each switch: how many sets it has, and how
/// many pairs of a state class and a leaf go by the ordinary tables. With ?switch (a name or GUID) of
/// {"leaf","guid","class","group","ports","spare","by_tables"} for each leaf (?leaf: a glob) and class.
Response port_sets(const plan::View& view, const Request& request, Page page);
/// All of them as JSON (routing/port_sets_json.h), streamed.
Response dump_port_sets(std::shared_ptr<const plan::View> view);

}  // namespace weft::daemon
