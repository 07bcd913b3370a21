#pragma once
// Metrics in the text form that Prometheus reads (exposition format 0.0.4): names begin with weft_, units are
// seconds and bytes, counters end in _total. No series for each port unless asked for.
//
//   GET /metrics ?ports=1

#include <memory>

#include "daemon/api_source.h"
#include "daemon/http.h"

namespace weft::daemon {

void add_metrics_routes(Router& router, std::shared_ptr<const ApiSource> source);

/// All that does not come by port.
std::string metrics_text(const ApiSource& source);

}  // namespace weft::daemon
