#pragma once
// Orders in the state file: what people and the health of links ask of links and nodes.

#include <memory>

#include "daemon/store_sql.h"
#include "plan/upkeep.h"

namespace weft::daemon {

extern const char* const kOrdersTable;  ///< Schema version 7.

/// Errors: `malformed` for an order that cannot be.
Result<std::shared_ptr<const plan::Orders>> load_orders(Database& database);
/// Only what differs is written.
Result<void> write_orders(Database& database, const plan::Orders& before, const plan::Orders& after);

}  // namespace weft::daemon
