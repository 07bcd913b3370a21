#pragma once
// Answers compressed with gzip for those who accept it: browsers over TCP do, weftctl at its socket does not
// ask for it. What goes on as things happen is left as it is.

#include <string_view>

#include "daemon/http.h"

namespace weft::daemon {

/// Whether a value of Accept-Encoding names gzip, or all, and does not rule it out. Source: RFC 9110, 12.5.3.
bool accepts_gzip(std::string_view accepted);

/// The answer as this request accepts it. Shorter ones than a packet or two, those that are compressed
/// already and pictures are left as they are. One in pieces is compressed piece by piece as it is sent.
Response as_accepted(Response response, const Request& request);

}  // namespace weft::daemon
