#pragma once
// What clients have told the subnet administration, as JSON: a part of what `state export` writes and
// `state import` reads.
//
//   {"groups": [{"mgid": "ff12:...", "mlid": 49153, ..., "members": [{"port": "0x...", ...}]}],
//    "services": [...], "subscriptions": [...], "aliases": [{"guid": "0x...", "port": "0x...", "index": 1}]}

#include <string>

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "plan/sa_state.h"

namespace weft::plan {

/// One record a line. Keys of services are secret: without `with_keys` they are written as 0, and where there
/// are any, `"service_keys": "hidden"` says so: nobody takes such a document for the whole.
std::string registrations_json(const SaState& state, bool with_keys);

/// Errors: `malformed` for what is not of this form, unknown and missing keys included; `invalid` for values
/// out of range, hidden keys, what why_not() has something against, more than kMostSubscriptionsOfAPort of
/// one port, and for two groups, members, services or aliases of one name. The text names the place, which
/// begins with `place`.
Result<SaState> registrations_from(const boost::json::value& json, const std::string& place);

}  // namespace weft::plan
