#pragma once
// Counters of ports, over the control API:
//
//   GET /v1/counters ?port=NODE/PORT     of one port, read now
//   GET /v1/counters ?offset&limit&name  of all that were read, with rates between their last two readings

#include <memory>

#include "daemon/api_source.h"
#include "daemon/http.h"

namespace weft::daemon {

void add_counter_routes(Router& router, std::shared_ptr<const ApiSource> source);

}  // namespace weft::daemon
