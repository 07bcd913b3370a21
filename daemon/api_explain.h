#pragma once
// Why things are as they are, over the control API: plain sentences first, the data after them.
//
//   GET /v1/explain/port      ?port=NODE/PORT         why it is down, held, slow or narrow
//   GET /v1/explain/lid       ?lid=N                  who has it, and how to get there
//   GET /v1/explain/path      ?from&to                whether there is a way, and which one
//   GET /v1/explain/partition ?a&b                    whether two ports may talk, and by which keys
//   GET /v1/explain/engine                            why these tables, and not those of another engine
//   GET /v1/explain/sweep     ?number=N               what caused it, what it did, how long each phase took
//   GET /v1/changes           ?since&until            what events come to (changes.h)
//
// Each answers {"sentences":[...], ...}.

#include <memory>

#include "daemon/api_source.h"
#include "daemon/http.h"

namespace weft::daemon {

void add_explain_routes(Router& router, std::shared_ptr<const ApiSource> source);

}  // namespace weft::daemon
