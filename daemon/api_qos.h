#pragma once
// The part of the control API that tells of service levels.

#include <memory>

#include "daemon/api_source.h"
#include "daemon/http.h"

namespace weft::daemon {

/// GET /v1/levels and /v1/explain/qos?from=A&to=B[&pkey=][&service=][&class=].
void add_qos_routes(Router& router, std::shared_ptr<const ApiSource> source);

}  // namespace weft::daemon
