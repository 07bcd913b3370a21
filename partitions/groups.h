#pragma once
// The multicast groups that partitions bring: IPoIB's broadcast groups, and others by MGID.

#include <string>
#include <vector>

#include "partitions/policy.h"

namespace weft::partitions {

struct Group {
  Gid mgid{};
  Pkey pkey{};           ///< The partition's full key.
  GroupOptions options;  ///< Others than broadcast groups: what they leave out follows the broadcast group's.
  bool operator==(const Group&) const = default;
};

/// MGID of IPoIB's IPv4 broadcast group: ff1S:401b:KKKK::ffff:ffff. Source: RFC 4391, 4.
Gid ipoib_broadcast(Pkey pkey, std::uint8_t scope = 2);

/// The groups of one partition with this number (15 bits). An MGID of IPv4 or IPv6 over InfiniBand whose
/// P_Key is 0 gets the partition's; one that names another partition is left out, with a note.
std::vector<Group> groups_of(const Partition& partition, std::uint16_t key, std::vector<std::string>& notes);

}  // namespace weft::partitions
