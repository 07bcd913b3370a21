#pragma once
// Local discovery: a switch says that a port of it has changed (trap 128 names no port). Its ports are read,
// and what lies behind those that have changed; all the rest is taken as it was. Cost: the ports of the
// switches named, and a few packets a change.

#include "discovery/discover.h"

namespace weft::discovery {

/// `known`: the last discovery, in which nothing was wrong. Errors: `unsafe` when what is seen does not fit
/// with it, so that only a full discovery can tell; and as discover().
asio::awaitable<Result<Discovered>> discover_around(transport::SmpClient& client, mad::Shadow& shadow,
                                                    DiscoverOptions options,
                                                    std::shared_ptr<const Discovered> known,
                                                    std::vector<Guid> places);

}  // namespace weft::discovery
