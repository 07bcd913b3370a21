#pragma once
// The control API: what is served under which path, over whatever serves a Router. It sees the daemon through
// ApiSource alone. JSON, bar the dumps and probes; errors are {"error":{"code","message","hint"}} with a
// fitting HTTP status.
//
// Paths, parameters and answers stand in docs/openapi.yaml, which a test holds against what is served here.

#include "daemon/api_source.h"
#include "daemon/http.h"

namespace weft::daemon {

/// Every function of `source` must be set.
Router make_api(ApiSource source);

}  // namespace weft::daemon
