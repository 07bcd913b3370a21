#pragma once
// What a refusal of etcd means to us.

#include "etcd/connection.h"

namespace weft::etcd {

/// Of an answer with a status other than 200. `unavailable`: to be asked elsewhere.
Error refusal_of(const Reply& reply, const Endpoint& endpoint);

inline constexpr unsigned kUnauthorized = 401;

}  // namespace weft::etcd
