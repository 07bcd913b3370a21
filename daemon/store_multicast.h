#pragma once
// Digests of multicast tables in the state file.

#include <memory>

#include "daemon/store_sql.h"
#include "plan/ledger.h"

namespace weft::daemon {

extern const char* const kMulticastTable;  ///< Schema version 6.

/// Errors: `malformed` for a row that cannot be.
Result<std::shared_ptr<const plan::MftDigestMap>> load_multicast(Database& database);
/// Only switches that differ are written.
Result<void> write_multicast(Database& database, const plan::MftDigestMap& before,
                             const plan::MftDigestMap& after);

}  // namespace weft::daemon
