#pragma once
// The cabling design in the state file: a row for every switch port that was ever linked.

#include <memory>

#include "daemon/store_sql.h"
#include "plan/ledger.h"

namespace weft::daemon {

/// SQL that makes its table.
extern const char* const kDesignTable;

/// Null when nothing is stored. Errors: `malformed` when the rows are not ours.
Result<std::shared_ptr<const routing::Design>> load_design(Database& database);
/// Writes the rows that differ. Either may be null, which stands for an empty one.
Result<void> write_design(Database& database, const routing::Design* before, const routing::Design* after);

}  // namespace weft::daemon
