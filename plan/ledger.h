#pragma once
// Ledger: what outlives sweeps and restarts. An explicit input and output of planning, structure-shared: a
// part that does not change is handed on, not copied. Stored by daemon/store.

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "partitions/plan_keys.h"
#include "plan/sa_state.h"
#include "plan/upkeep.h"
#include "qos/plan_lanes.h"
#include "routing/design.h"

namespace weft::plan {

struct LidRange {
  Lid base{};
  std::uint8_t lmc = 0;
  int size() const { return 1 << lmc; }
  auto operator<=>(const LidRange&) const = default;
};

/// By port GUID (a switch: that of its port 0). Ports that are away keep theirs.
using LidMap = std::map<Guid, LidRange>;

/// For a digest of lanes: they may be anything, but it was us who wrote them, so that they are ours to take
/// away.
inline constexpr std::uint64_t kLanesVoid = 1;

/// What a device was last confirmed to hold, so that a restart need not read it back.
struct DeviceRecord {
  std::vector<std::uint64_t> lft_digests;  ///< By block; see block_digest(). Switches only.
  std::uint32_t unkept_fields =
      0;  ///< PortInfo fields that the device does not keep when set (program/port_fields.h).
  std::uint64_t lanes_digest = 0;  ///< Of its SL2VL tables (program/lanes.h); 0: not known; or kLanesVoid.
  std::uint64_t keys_digest = 0;   ///< Of the P_Key tables of its ports (program/keys.h); 0: not known.
  bool operator==(const DeviceRecord&) const = default;
};
using DeviceMap = std::map<Guid, std::shared_ptr<const DeviceRecord>>;

/// What a switch's multicast table was last confirmed to hold: digests of its blocks, by the modifier that
/// they are asked for with (position << 28 | block).
using MftDigests = std::map<std::uint32_t, std::uint64_t>;
/// By switch.
using MftDigestMap = std::map<Guid, MftDigests>;

struct Ledger {
  std::shared_ptr<const LidMap> lids = std::make_shared<LidMap>();
  std::shared_ptr<const DeviceMap> devices = std::make_shared<DeviceMap>();
  /// The cabling ever seen; null before the first plan.
  std::shared_ptr<const routing::Design> design;
  /// Assigned keys and planned tables; null where there never was a partition.
  std::shared_ptr<const partitions::Memory> partitions;
  std::shared_ptr<const qos::AssignedSls> sls;  ///< Given to levels; null where there never was one.
  std::shared_ptr<const Orders> orders = std::make_shared<Orders>();
  SaState sa;  ///< As it was at the start; while the SA runs, it holds its own.
  /// Likewise; empty while tables are being written, and when nothing is known of them.
  std::shared_ptr<const MftDigestMap> multicast = std::make_shared<MftDigestMap>();
};

/// GUIDs of the nodes that it knows, of those that are away, too.
std::vector<Guid> devices_of(const Ledger& ledger);

/// Hash of one 64-byte table block (FNV-1a over its words): to tell change, not to withstand an attacker.
std::uint64_t block_digest(std::span<const std::uint8_t> block);

}  // namespace weft::plan
