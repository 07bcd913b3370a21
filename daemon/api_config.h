#pragma once
// The configuration over the control API: what another one would change, and how it comes into force.
//
//   GET  /v1/config                          effective settings, each with its origin
//   GET  /v1/config/history                  what has been in force, newest last
//   POST /v1/config/diff    body: a file     what it would change on the live fabric; nothing is set
//   POST /v1/config/apply   body: a file     ?confirm=SECONDS: goes back by itself unless confirmed
//   POST /v1/config/confirm, /v1/config/undo
// The last three answer {"number","state","author","until","file","text"}: whoever asked may write the text
// to the file, which weftd itself cannot.

#include <memory>

#include "daemon/api_source.h"
#include "daemon/http.h"

namespace weft::daemon {

void add_config_routes(Router& router, std::shared_ptr<const ApiSource> source);

}  // namespace weft::daemon
