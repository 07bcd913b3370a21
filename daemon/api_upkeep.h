#pragma once
// What is asked of links and switches, over the control API:
//
//   GET  /v1/upkeep                                          every order and how far it is
//   POST /v1/upkeep ?do&place&for&force=1&why                do: drain, undrain, disable, enable, hold;
//   place: NODE
//                                                            or NODE/PORT; for: of hold, a duration
//                                                            202 {"text"}; 409 names whom it would cut off

#include <memory>

#include "daemon/api_source.h"
#include "daemon/http.h"

namespace weft::daemon {

void add_upkeep_routes(Router& router, std::shared_ptr<const ApiSource> source);

}  // namespace weft::daemon
