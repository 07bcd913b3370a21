#pragma once
// Typed SL2VL and VL arbitration tables as the configuration file has them.

#include <optional>

#include "config/types.h"
#include "qos/tables.h"

namespace weft::config {

/// { all: { sl2vl: [0, 1, ...], low: ["0:4"], high: [] }, switches: { high_limit: 5 } }; nothing: none.
Type<std::optional<qos::TypedTables>> typed_tables();

/// Lanes of data that SLs lead to and that neither table gives a weight: their packets would never leave.
std::vector<Vl> starved(const qos::TypedTable& table);

}  // namespace weft::config
