#pragma once
// Multicast groups: who may create, join and leave, and what the answer tells. Pure on the state; trees and
// switch tables are the planner's. Source: IBTA vol. 1, 15.2.5.18; RFC 4391 for IPoIB's groups.

#include "sa/request.h"

namespace weft::sa {

Answer join_group(const Request& request, const Context& context);
Answer leave_group(const Request& request, const Context& context);

/// IPoIB's broadcast group of a partition: FF12:401B:<P_Key>::FFFF:FFFF.
Gid ipoib_broadcast(Pkey pkey, std::uint8_t scope = 2);

/// The state with the groups that the manager itself keeps: today the default partition's IPoIB broadcast
/// group, with MTU 2048 and 10 Gb/s, which every port can. Nothing when all are there.
std::optional<plan::SaState> with_own_groups(const plan::SaState& state);

/// The state without members whose port is gone, and without groups that end by that; nothing when nothing
/// changes. Events tell which groups ended.
std::optional<plan::SaState> without_ports(const plan::SaState& state, const std::vector<Guid>& gone,
                                           std::vector<Event>& events);

}  // namespace weft::sa
