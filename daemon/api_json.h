#pragma once
// The daemon's values as JSON, as the control API shows them. GUIDs are strings, LIDs and ports numbers,
// times "2026-01-02T03:04:05.678Z", durations milliseconds; keys are never left out, null stands for "none".

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "config/read.h"
#include "daemon/status.h"
#include "fabric/summary.h"
#include "plan/view.h"

namespace weft::daemon {

/// "2026-01-02T03:04:05.678Z"
std::string time_text(WallTime time);

boost::json::array texts(const std::vector<std::string>& items);

/// Names of nodes come from `view`, which may be null.
boost::json::object to_json(const Status& status, const plan::View* view);
boost::json::object to_json(const Event& event, const plan::View* view);
boost::json::object to_json(const SweepReport& report);
boost::json::object to_json(const fabric::Summary& summary);
boost::json::value to_json(const std::optional<Progress>& progress);
/// {"settings":[{"key","value","default","origin","needs_restart"}]}, values as they would stand in the file.
boost::json::object config_json(const config::Loaded& loaded);

/// The planned LIDs of an end port, those found before the first plan; base 0 for other ports.
plan::LidRange lids_of(const plan::View& view, fabric::PortRef port);

/// {"guid","name","type","port"}: one end of a link.
boost::json::object end_json(const fabric::Fabric& fabric, fabric::PortRef port);
boost::json::object node_json(const plan::View& view, NodeId id);
/// The link at this port, seen from it; it must have a peer.
boost::json::object link_json(const fabric::Fabric& fabric, fabric::PortRef port);

}  // namespace weft::daemon
