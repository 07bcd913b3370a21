#pragma once
// The fabric and the topology it should have, over the control API:
//
//   GET /v1/expected   {"file", "compared", "total", "deviations": [{"kind", "node", "port", "what", "mend",
//   "moves"}]}
//                      compared is false without a topology, and before the first comparison has ended; of
//                      the deviations at most 10,000

#include <memory>

#include "daemon/api_source.h"
#include "daemon/http.h"

namespace weft::daemon {

void add_expected_routes(Router& router, std::shared_ptr<const ApiSource> source);

}  // namespace weft::daemon
