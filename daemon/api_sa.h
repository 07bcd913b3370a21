#pragma once
// The part of the control API that is about subnet administration: groups, services, subscriptions, counts,
// and what the SA would answer.

#include <memory>

#include "daemon/api_source.h"
#include "daemon/http.h"

namespace weft::daemon {

/// /v1/groups (with ?members=1 their members), /v1/services, /v1/subscriptions, /v1/sa (counts),
/// /v1/sa/path?from=&to= and /v1/sa/join?port=&group=. Lists come in pages (?offset=, ?limit=).
void add_sa_routes(Router& router, std::shared_ptr<const ApiSource> source);

}  // namespace weft::daemon
