#pragma once
// plan_keys: from a Policy and what is held already to the P_Key table of every end port.
//
// Rules. The default partition (0x7fff) always exists and holds every port, the manager's own as a full
// member: without it nobody reaches subnet administration. A policy that does not define it gets "all
// limited, self full" (as OpenSM has it); an empty policy "all full". A key never moves to another index
// while its port belongs to the partition; a new key takes the lowest free index, the default key index 0
// where that is free. Only a partition `at_index0` displaces what stands at 0.
// Source: IBTA vol. 1, 10.9 and 14.2.5.7 (P_KeyTable).

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "partitions/groups.h"
#include "partitions/policy.h"
#include "partitions/tables.h"

namespace weft::partitions {

/// What outlives restarts.
struct Memory {
  std::map<std::string, std::uint16_t> assigned;  ///< Partition names to the keys they were given.
  std::map<Guid, Keys> tables;                    ///< By port GUID: as last planned.
  bool operator==(const Memory&) const = default;
};

/// One partition as it stands on this fabric.
struct Resolved {
  std::string name;
  std::uint16_t key = 0;            ///< 15 bits.
  std::vector<Membership> members;  ///< By index of Fabric::end_ports().
  std::size_t full = 0;             ///< Ports with the full key,
  std::size_t limited = 0;          ///< with the limited one.
};

struct PlannedKeys {
  /// False: neither is there a policy, nor was there one; P_Key tables are none of our business.
  bool active = false;
  Tables tables;
  /// What external switch ports check, by index of Fabric's ports: nothing unless `enforced`.
  Tables enforced_tables;
  std::vector<Enforcement> enforced;  ///< By index of Fabric's ports.
  std::vector<Resolved> partitions;   ///< In the policy's order; the default partition's first if implied.
  std::vector<Group> groups;  ///< Of all partitions, each MGID once; the default one's without a policy.
  std::shared_ptr<const Memory> memory;
  std::vector<std::string> notes;     ///< Worth knowing: lines that mean nobody, effective membership.
  std::vector<std::string> problems;  ///< Why the policy, or a part of it, is not in force.
  bool refused = false;               ///< The tables are the last good ones.
};

/// `memory` may be null. Never fails: a policy that does not fit leaves the tables of `memory` in force, and
/// ports that have none there are limited members of the default partition alone.
/// Cost: O(end ports x partitions) bytes and steps.
PlannedKeys plan_keys(const fabric::Fabric& fabric, const Policy& policy,
                      const std::shared_ptr<const Memory>& memory, fabric::PortRef self);

/// The table of a switch port behind which `keys` are held, with room for `capacity`: as they stand, or
/// without holes and without the limited key of a partition whose full one is there. Nothing if it still does
/// not fit.
std::optional<Keys> switch_table(std::span<const Pkey> keys, std::size_t capacity);

/// What must stand in a table between two states, so that no key that stays is ever missing: the new table
/// with the old keys in places that it leaves free. Keys that find no place are left out.
Keys grown(std::span<const Pkey> before, std::span<const Pkey> after, std::size_t capacity);

}  // namespace weft::partitions
