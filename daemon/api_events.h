#pragma once
// What happened, over the control API:
//
//   GET /v1/events          ?after&before&since&until&kind&severity&node&port&limit&order   of memory and
//   store GET /v1/events/stream   likewise, as it happens (docs/api.md) GET /v1/sweeps          those in
//   memory; with ?since&until&number&limit of the store, too
//
// since, until: RFC 3339, or a duration back from now (1h). kind: globs, with commas. severity: that one and
// worse. node: a name or GUID; port: NODE/PORT, or a number beside node. order: newest, oldest: which ones of
// more than `limit`.

#include <memory>

#include "daemon/api_source.h"
#include "daemon/http.h"

namespace weft::daemon {

void add_event_routes(Router& router, std::shared_ptr<const ApiSource> source);

/// What the query asks for. Errors: `invalid`.
Result<EventQuery> event_query(const Request& request, const plan::View* view, std::uint64_t limit);
/// "2026-01-02T03:04:05Z" with or without a fraction and a zone (+01:00), or a duration back from `now`.
Result<WallTime> time_from(std::string_view text, WallTime now);
/// ?since or ?until. Errors: as above.
Result<std::optional<WallTime>> time_parameter(const Request& request, std::string_view key);

/// Events that match, from memory and where that does not reach from the store, oldest first.
void find_events(const ApiSource& source, EventQuery query, Store::EventsDone done);

}  // namespace weft::daemon
