#pragma once
// The part of the control API that tells of partitions.

#include <memory>

#include "daemon/api_source.h"
#include "daemon/http.h"

namespace weft::daemon {

/// GET /v1/partitions[?members=1] and /v1/explain/pkey?port=NAME[&key=0x8010].
void add_partition_routes(Router& router, std::shared_ptr<const ApiSource> source);

}  // namespace weft::daemon
