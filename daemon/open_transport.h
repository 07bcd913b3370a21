#pragma once
// The ways to a real fabric and to ibsim, as App opens them.

#include "daemon/app.h"

namespace weft::daemon {

/// umad and ibsim. The simulator in process is opened by main, which alone may know it.
OpenTransport open_real_transport(asio::io_context& loop, Clock& clock);

}  // namespace weft::daemon
