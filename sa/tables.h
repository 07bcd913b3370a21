#pragma once
// Tables: the records that tell what devices hold in tables that nobody plans yet: P_Keys, lanes and their
// arbitration. The daemon reads a table when somebody asks for it; here it is said which blocks a query
// needs, and records are made of those that are known.

#include <vector>

#include "sa/collect.h"

namespace weft::sa {

/// One block of a device's table. `port` is where to ask: an end port, or port 0 of a switch.
struct TableBlock {
  fabric::PortRef port;
  Guid holder{};  ///< Under this GUID it stands in Context::tables: an HCA's port, a switch's node.
  mad::AttrId attribute{};
  std::uint32_t modifier = 0;
  bool operator==(const TableBlock&) const = default;
};

void sl_to_vl_records(const Context& context, Collector& records);
void vl_arbitration_records(const Context& context, Collector& records);
void pkey_table_records(const Context& context, Collector& records);

/// What must be read before the request can be answered: nothing for most. How many blocks a P_Key table has
/// is read first, so it may take a second round. At most `most` blocks are named; one more says that there
/// are more.
std::vector<TableBlock> missing_tables(const Request& request, const Context& context, std::size_t most);

}  // namespace weft::sa
