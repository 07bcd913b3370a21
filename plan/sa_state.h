#pragma once
// SaState: what clients have told the subnet administration and expect it to remember: multicast groups and
// their members, services, subscriptions, alias GUIDs. A value, structure-shared: a join among ten thousand
// members copies a sixty-fourth of them. Kept over restarts by daemon/store.

#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/gid.h"
#include "base/link.h"
#include "plan/shared_map.h"

namespace weft::plan {

struct McMember {
  Gid gid{};
  std::uint8_t join_state = 0;  ///< Bits: 1 full, 2 non, 4 send-only non, 8 send-only full.
  bool proxy = false;           ///< Joined by another port on its behalf.
  bool operator==(const McMember&) const = default;
};

struct McGroup {
  Gid mgid{};
  Lid mlid{};
  std::uint32_t qkey = 0;
  Pkey pkey{};
  Mtu mtu{};
  std::uint8_t rate = 0;      ///< SA rate code.
  std::uint8_t lifetime = 0;  ///< 4.096 us * 2^n.
  Sl sl{};
  std::uint8_t tclass = 0;
  std::uint32_t flow_label = 0;
  std::uint8_t hop_limit = 0;
  bool permanent = false;        ///< Ours: stays without members.
  bool follows_slowest = false;  ///< Its rate is that of its slowest member. Ours only; not kept on disk.
  SharedMap<Guid, McMember> members;  ///< By port GUID.
  bool operator==(const McGroup&) const = default;
};

/// All groups, by MGID, and which MLIDs they use. Several groups may share an MLID.
class McGroups {
 public:
  using GroupPtr = std::shared_ptr<const McGroup>;
  using Map = SharedMap<Gid, GroupPtr>;

  std::size_t size() const { return groups_.size(); }
  /// Null when there is no such group.
  GroupPtr find(const Gid& mgid) const {
    const GroupPtr* found = groups_.find(mgid);
    return found == nullptr ? nullptr : *found;
  }
  bool contains(const Gid& mgid) const { return groups_.contains(mgid); }
  /// Whether some group sends to this MLID.
  bool uses(Lid mlid) const { return mlids_.test(raw(mlid) - kFirstMlid); }
  /// How many do.
  std::uint32_t users(Lid mlid) const {
    const std::uint32_t* found = users_.find(mlid);
    return found == nullptr ? 0 : *found;
  }
  /// The highest second half of an MGID with this first half that there has been; 0 when there was none.
  std::uint64_t last_number(std::uint64_t first_half) const {
    const std::uint64_t* found = numbers_.find(static_cast<Guid>(first_half));
    return found == nullptr ? 0 : *found;
  }
  /// The lowest MLID of the first `capacity` that no group has.
  std::optional<Lid> free_mlid(std::size_t capacity) const;

  McGroups with(McGroup group) const;
  McGroups without(const Gid& mgid) const;

  /// Calls `visit(group)`, in an order that depends on the groups alone.
  template <typename Visit>
  void each(const Visit& visit) const {
    groups_.each([&visit](const Gid&, const GroupPtr& group) { visit(*group); });
  }
  const Map& map() const { return groups_; }
  bool operator==(const McGroups& other) const { return groups_ == other.groups_; }

  /// MGIDs that the SA chooses have this signature (bits 16 to 31).
  static constexpr std::uint64_t kChosenSignature = 0xa01b;
  static constexpr std::size_t kFirstMlid = 0xc000;
  static constexpr std::size_t kMlids = 0x3fff;  ///< 0xc000 to 0xfffe.

 private:
  void release(Lid mlid);

  Map groups_;
  SharedMap<Lid, std::uint32_t> users_;
  SharedMap<Guid, std::uint64_t> numbers_;  // of MGIDs that the SA chooses, by their first half
  std::bitset<kMlids> mlids_;
};

/// What names a registration.
struct ServiceKey {
  std::uint64_t id = 0;
  Gid gid{};
  Pkey pkey{};
  auto operator<=>(const ServiceKey&) const = default;
};
constexpr std::uint64_t spread(const ServiceKey& key) {
  return spread(key.id ^ spread(key.gid) ^ raw(key.pkey));
}

struct Service {
  std::uint64_t id = 0;
  Gid gid{};
  Pkey pkey{};
  std::uint32_t lease = 0;   ///< Seconds as registered; 0xffffffff: for ever.
  std::int64_t expires = 0;  ///< Seconds since 1970; meaningless for eternal ones.
  std::array<std::uint64_t, 2> key{};
  std::array<std::uint8_t, 64> name{};
  std::array<std::uint8_t, 64> data{};
  bool operator==(const Service&) const = default;
};

struct Subscription {
  Gid subscriber{};
  Lid lid{};  ///< Where reports go.
  std::uint32_t qp = 0;
  Sl sl{};
  Gid gid{};  ///< Issuers asked for: this GID, or, when 0, the LID range.
  Lid lid_begin{};
  Lid lid_end{};
  bool generic = true;
  std::uint16_t type = 0;
  std::uint16_t trap = 0;
  std::uint32_t producer = 0;
  bool trusted = false;
  bool operator==(const Subscription&) const = default;
};

/// Where an alias GUID stands: the port that has it, and the place in its GUIDInfo.
struct AliasGuid {
  Guid port{};
  std::uint16_t index = 0;  ///< 8 * block + entry; never 0, which is the port's own GUID.
  bool operator==(const AliasGuid&) const = default;
};

struct SaState {
  using ServicePtr = std::shared_ptr<const Service>;
  using PortGuids = std::shared_ptr<const std::vector<Guid>>;  ///< By place in GUIDInfo; 0: none.
  using PortSubscriptions = std::shared_ptr<const std::vector<Subscription>>;
  McGroups groups;
  SharedMap<ServiceKey, ServicePtr> services;
  SharedMap<Guid, PortSubscriptions> subscriptions;  ///< By the subscriber's port GUID; never empty ones.
  SharedMap<Guid, AliasGuid> aliases;                ///< By alias GUID.
  SharedMap<Guid, PortGuids> port_guids;             ///< The same by port GUID; never empty ones.
  /// Ports whose registrations we have lost or dropped: they must be told to register again, when they are
  /// here.
  SharedMap<Guid, bool> forgotten;
  bool operator==(const SaState&) const = default;
};

/// The state with this GUID at a place of a port's GUIDInfo; 0 takes away what stands there.
SaState with_alias(const SaState& state, Guid port, std::uint16_t index, Guid alias);

/// Cost: O(subscribers).
std::size_t subscription_count(const SaState& state);

/// GUIDs of the ports that have registered something that a re-registration would bring back.
std::vector<Guid> registered_ports(const SaState& state);

}  // namespace weft::plan
