#pragma once
// Care of groups that nobody asks for: the manager's own groups, members whose port has gone or has left the
// partition, rates that follow the slowest member. Pure.

#include "sa/request.h"

namespace weft::sa {

/// The state with the groups that the manager itself keeps, as set: those of the
/// partitions. What the partition leaves open is MTU 2048, which every port can, the rate of the options, and
/// IPoIB's Q_Key. One whose partition is gone lives on as long as it has members. Members of a group whose SL
/// or other things that they send with have changed are to register again. Nothing when all is so.
std::optional<plan::SaState> with_own_groups(const plan::SaState& state, const plan::SaOptions& options,
                                             const partitions::PlannedKeys& partitions,
                                             std::vector<Event>& events);

/// The state with this group as it is now; without it when its last receiver is gone, which an event tells.
plan::SaState with_members(const plan::SaState& state, const plan::McGroup& group,
                           std::vector<Event>& events);

/// The group with the rate of its slowest member, if it is one that follows it and has members.
plan::McGroup at_its_rate(plan::McGroup group, const Context& context);

/// The state without members whose port is gone, and without groups that end by that; nothing when nothing
/// changes. Events tell which groups ended.
std::optional<plan::SaState> without_ports(const plan::SaState& state, const std::vector<Guid>& gone,
                                           std::vector<Event>& events);

/// The state after a new View: without members whose port is no longer in the partition of their group, which
/// are to register again, since they may be in it again before they have noticed, and with the rates that
/// follow from the links now. Nothing when nothing changes.
std::optional<plan::SaState> as_planned(const Context& context, std::vector<Event>& events);

}  // namespace weft::sa
