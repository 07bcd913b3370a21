#pragma once
// ApiSource: what the control API may ask and do. The daemon stands behind it; tests put canned values there.
// All on the loop thread; views are shared and never change.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/read.h"
#include "daemon/multicast.h"
#include "daemon/sa_counts.h"
#include "daemon/status.h"
#include "daemon/upkeep.h"
#include "plan/view.h"
#include "sa/request.h"

namespace weft::daemon {

/// What there is to tell of the SA.
struct SaView {
  plan::SaState state;
  SaCounts counts;
  MulticastCounts multicast;
  std::shared_ptr<const sa::Index> index;  ///< Null while nothing is answered.
  /// What would be answered; nothing while nothing is.
  std::function<std::optional<sa::Answer>(const sa::Request&)> ask;
};

struct ApiSource {
  std::function<Status()> status;
  std::function<std::shared_ptr<const plan::View>()> view;  ///< Null before the first sweep has ended.
  /// Events with id > `after`, oldest first, at most `limit` (the newest ones when there are more).
  std::function<std::vector<Event>(std::uint64_t after, std::size_t limit)> events;
  std::function<std::vector<SweepReport>()> sweeps;  ///< Newest last.
  /// Asks for a full sweep and returns its number; it is reported in `sweeps` when it has ended.
  std::function<std::uint64_t(std::string cause)> sweep;
  /// Takes the fabric as it is for whole, and asks for a sweep as above.
  std::function<std::uint64_t()> accept;
  /// Asks this standby, or the best one, to take over; to whom, for people.
  std::function<Result<std::string>(std::optional<Guid>)> hand_over;
  std::function<std::vector<UpkeepRow>()> upkeep;
  std::function<Result<std::string>(const UpkeepRequest&)> ask_upkeep;
  std::function<std::shared_ptr<const config::Loaded>()> config;
  /// Takes over LIDs from an exported Ledger; used from the next sweep on.
  std::function<Result<void>(const plan::Ledger&)> import_ledger;
  std::function<std::optional<SaView>()> sa;  ///< Nothing without a device.
};

}  // namespace weft::daemon
