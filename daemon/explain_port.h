#pragma once
// explain_port: why a port is down, held, slow or narrow, in plain sentences. Pure.

#include <boost/json/object.hpp>

#include "daemon/status.h"
#include "daemon/upkeep.h"
#include "plan/view.h"

namespace weft::daemon {

/// What is known of one port.
struct PortStory {
  const plan::View* view = nullptr;
  fabric::PortRef port;
  std::shared_ptr<const fabric::Fabric> whole;  ///< What was there before; may be null.
  std::vector<UpkeepRow> orders;                ///< All there are.
  Status status;
  std::vector<Event> events;  ///< About it, oldest first.
};

/// First what it is, then what is wrong and what to do.
std::vector<std::string> explain_port(const PortStory& story);

/// One port for programs: {"node","name","port","guid","lid","state","phys","width","speed",...,"peer"}.
boost::json::object port_json(const plan::View& view, fabric::PortRef port);

}  // namespace weft::daemon
