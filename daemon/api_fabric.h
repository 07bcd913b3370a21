#pragma once
// The whole fabric for those who draw it, over the control API:
//
//   GET /v1/fabric ?flows=0&unless=GENERATION      docs/api.md tells the shape

#include <memory>

#include "daemon/api_source.h"
#include "daemon/http.h"

namespace weft::daemon {

void add_fabric_routes(Router& router, std::shared_ptr<const ApiSource> source);

}  // namespace weft::daemon
