#pragma once
// Partitions in the state file: keys assigned by name, and the P_Key table of every port ever planned.

#include <memory>

#include "daemon/store_sql.h"
#include "partitions/plan_keys.h"
#include "qos/plan_lanes.h"

namespace weft::daemon {

extern const char* const kPartitionTables;  ///< Schema version 5; SLs given to levels, too.

/// Null when there never was a level without an SL. Errors: `malformed` for an SL that cannot be.
Result<std::shared_ptr<const qos::AssignedSls>> load_sls(Database& database);
/// Only what differs is written. Either may be null.
Result<void> write_sls(Database& database, const qos::AssignedSls* before, const qos::AssignedSls* after);

/// Null when there never was a partition. Errors: `malformed` for a key or table that cannot be.
Result<std::shared_ptr<const partitions::Memory>> load_partitions(Database& database);
/// Only what differs is written. Either may be null.
Result<void> write_partitions(Database& database, const partitions::Memory* before,
                              const partitions::Memory* after);

}  // namespace weft::daemon
