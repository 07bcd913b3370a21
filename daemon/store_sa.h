#pragma once
// What clients have told the SA, in the state file: rows from and to plan::SaState. One transaction is the
// caller's business.

#include "daemon/store_sql.h"
#include "plan/sa_state.h"

namespace weft::daemon {

/// SQL that makes the tables.
extern const char* const kSaTables;

/// Errors: `malformed` when tables, columns or values are not ours.
Result<plan::SaState> load_sa(Database& database);
/// Writes the difference of two states, a row for each member, service, subscription and alias that differs.
/// Parts that both share cost nothing.
Result<void> write_sa(Database& database, const plan::SaState& before, const plan::SaState& after);

}  // namespace weft::daemon
