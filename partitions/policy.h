#pragma once
// Policy: who belongs to which partition, in people's terms. Filled by config from YAML or from OpenSM's
// partition file; turned into P_Key tables by plan_keys.h.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/gid.h"
#include "base/ids.h"
#include "base/link.h"
#include "fabric/who.h"

namespace weft::partitions {

/// `both`: the port holds the full and the limited key.
enum class Membership : std::uint8_t { none = 0, limited = 1, full = 2, both = 3 };

using fabric::Who;

struct Member {
  Who who;
  Membership as = Membership::none;  ///< none: the partition's default.
  bool operator==(const Member&) const = default;
};

/// A multicast group that stands as long as its partition. Wire codes; what is left out follows the
/// partition's broadcast group.
struct GroupOptions {
  std::optional<Mtu> mtu;
  std::optional<int> rate;  ///< Gb/s * 10.
  std::optional<Sl> sl;
  std::string level;  ///< Instead of an SL: that of this service level.
  std::optional<std::uint32_t> q_key;
  std::optional<std::uint8_t> traffic_class;
  std::optional<std::uint32_t> flow_label;
  std::uint8_t scope = 2;  ///< Link-local.
  bool operator==(const GroupOptions&) const = default;
};

struct ExtraGroup {
  Gid mgid{};
  GroupOptions options;
  bool operator==(const ExtraGroup&) const = default;
};

struct Partition {
  std::string name;
  std::optional<std::uint16_t> key;  ///< 15 bits; nothing: assigned, and kept under its name.
  Membership default_membership = Membership::limited;
  std::vector<Member> members;
  /// Of several lines that mean one port the last one counts (OpenSM's rule), not the most special.
  bool last_counts = false;
  bool at_index0 = false;               ///< Its key stands at index 0 of its members' tables.
  bool ipoib = false;                   ///< Has IPoIB's broadcast group.
  std::vector<GroupOptions> broadcast;  ///< One for each scope; empty with `ipoib`: one with defaults.
  std::vector<ExtraGroup> groups;
  bool operator==(const Partition&) const = default;
};

/// Where switches check the P_Keys of packets from and to hosts.
enum class Enforcement : std::uint8_t { off, in, out, both };

/// What happens when a table has no room for all its keys.
enum class Overflow : std::uint8_t {
  refuse,       ///< The policy is not used; the last good one stays.
  best_effort,  ///< Partitions listed first get the room.
};

struct Policy {
  std::vector<Partition> partitions;  ///< Empty: everybody is a full member of the default partition.
  Enforcement enforcement = Enforcement::both;
  Overflow overflow = Overflow::refuse;
  bool operator==(const Policy&) const = default;
};

/// "limited", "full", "both", "none".
std::string_view name(Membership membership);

}  // namespace weft::partitions
