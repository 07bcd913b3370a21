#pragma once
// Multicast groups: who may create, join and leave, and what the answer tells. Pure on the state; trees and
// switch tables are the planner's. Source: IBTA vol. 1, 15.2.5.18; RFC 4391 for IPoIB's groups.

#include "partitions/groups.h"
#include "sa/request.h"

namespace weft::sa {

Answer join_group(const Request& request, const Context& context);
Answer leave_group(const Request& request, const Context& context);

using partitions::ipoib_broadcast;

}  // namespace weft::sa
