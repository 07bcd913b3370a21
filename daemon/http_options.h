#pragma once
// What the settings say of the control API's sockets.

#include "config/settings.h"
#include "daemon/http_server.h"

namespace weft::daemon {

/// Reads the token files; blocks. Errors: as read_token; `invalid` for an address that is none.
Result<HttpOptions> http_options(const config::Settings& settings);

}  // namespace weft::daemon
