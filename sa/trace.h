#pragma once
// Trace: GetTraceTable(PathRecord), the nodes that a path leads through. Source: IBTA vol. 1, 15.2.5.18.

#include "sa/request.h"

namespace weft::sa {

/// One TraceRecord a node, source and destination included, in the order of the path. Nodes that the
/// requester may not see have no ids. Errors: 0x0600 unless both ends are given; 0x0200 for a group.
Answer trace_records(const Request& request, const Context& context);

}  // namespace weft::sa
