#pragma once
// The control API: what is served under which path, over whatever serves a Router. It sees the daemon through
// ApiSource alone. JSON, bar the dumps and probes; errors are {"error":{"code","message","hint"}} with a
// fitting HTTP status.
//
//   GET  /v1/status                                state, sweeps, problems, the fabric in numbers
//   GET  /v1/progress                              {"state","progress","last_sweep"}: cheap, to be asked
//   often GET  /v1/nodes   ?offset&limit&type&name       name: a glob; limit: 1,000, at most 10,000 GET
//   /v1/links   ?offset&limit&state&name&below_best=1 GET  /v1/path    ?from&to                      names,
//   GUIDs or LIDs GET  /v1/port-sets ?switch&leaf&offset&limit  of adaptive routing GET  /v1/events
//   ?after&limit                  ids above `after`; limit: 100, at most 10,000 GET  /v1/sweeps newest last
//   POST /v1/sweep 202 {"number"}; the sweep's report appears in /v1/sweeps GET  /v1/config effective
//   settings, each with its origin GET  /v1/state, POST /v1/state                 the Ledger out, and LIDs in
//   GET /v1/dump/opensm ?file=subnet|fdbs|mcfdbs|psl|slvl  text GET  /v1/dump/port-sets            JSON GET
//   /v1/upkeep, POST /v1/upkeep
//   what is asked of links and switches (api_upkeep.h) GET
//   /livez, /readyz readyz: 200 while the fabric is managed, else 503

#include "daemon/api_source.h"
#include "daemon/http.h"

namespace weft::daemon {

/// Every function of `source` must be set.
Router make_api(ApiSource source);

}  // namespace weft::daemon
