#pragma once
// What the state file's tables hold: rows from and to values. One transaction is the caller's business.

#include "daemon/status.h"
#include "daemon/store_sql.h"
#include "plan/ledger.h"

namespace weft::daemon {

inline constexpr int kStateVersion = 8;  ///< PRAGMA user_version.
/// SQL that leads from schema version N to N + 1, by N. A database without tables is of version 0.
extern const char* const kMigrations[kStateVersion];

/// Reads the whole Ledger. Errors: `malformed` when tables, columns or values are not ours.
Result<plan::Ledger> load_ledger(Database& database);
/// Writes the difference between two Ledgers. Parts shared by both cost nothing.
Result<void> write_ledger(Database& database, const plan::Ledger& before, const plan::Ledger& after);


}  // namespace weft::daemon
