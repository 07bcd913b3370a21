#pragma once
// SaState: what clients have told the subnet administration and expect it to remember: multicast groups and
// their members, services, subscriptions. A part of the Ledger, structure-shared: a join copies one group and
// a small part of the list of groups.

#include <bitset>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/gid.h"
#include "base/link.h"

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
  bool permanent = false;            ///< Ours: stays without members.
  std::map<Guid, McMember> members;  ///< By port GUID.
  bool operator==(const McGroup&) const = default;
};

/// All groups, by MGID, as a value that is cheap to copy and to change: groups stand in shards by MGID, and a
/// change copies one shard and the list of shards.
class McGroups {
 public:
  using GroupPtr = std::shared_ptr<const McGroup>;

  std::size_t size() const { return size_; }
  /// Null when there is no such group.
  GroupPtr find(const Gid& mgid) const;
  bool contains(const Gid& mgid) const { return find(mgid) != nullptr; }
  /// Whether some group sends to this MLID.
  bool uses(Lid mlid) const { return mlids_.test(raw(mlid) - kFirstMlid); }
  /// The lowest MLID of the first `capacity` that no group has.
  std::optional<Lid> free_mlid(std::size_t capacity) const;

  McGroups with(McGroup group) const;
  McGroups without(const Gid& mgid) const;

  /// In an order that depends on the groups alone.
  template <typename Visit>
  void each(const Visit& visit) const {
    for (const auto& shard : shards_)
      if (shard)
        for (const auto& [mgid, group] : *shard) visit(*group);
  }

  static constexpr std::size_t kFirstMlid = 0xc000;
  static constexpr std::size_t kMlids = 0x3fff;  ///< 0xc000 to 0xfffe.

 private:
  using Shard = std::map<Gid, GroupPtr>;
  static constexpr std::size_t kShards = 64;
  static std::size_t shard_of(const Gid& mgid);

  std::array<std::shared_ptr<const Shard>, kShards> shards_;
  std::bitset<kMlids> mlids_;
  std::size_t size_ = 0;
};

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

struct SaState {
  using Services = std::vector<std::shared_ptr<const Service>>;
  using Subscriptions = std::vector<std::shared_ptr<const Subscription>>;
  std::shared_ptr<const McGroups> groups = std::make_shared<McGroups>();
  std::shared_ptr<const Services> services = std::make_shared<Services>();
  std::shared_ptr<const Subscriptions> subscriptions = std::make_shared<Subscriptions>();
};

}  // namespace weft::plan
