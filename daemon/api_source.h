#pragma once
// ApiSource: what the control API may ask and do. The daemon stands behind it; tests put canned values there.
// All on the loop thread; views are shared and never change.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/read.h"
#include "daemon/config_keeper.h"
#include "daemon/counter_poll.h"
#include "daemon/event_query.h"
#include "daemon/multicast.h"
#include "daemon/news.h"
#include "daemon/preview.h"
#include "daemon/sa_counts.h"
#include "daemon/status.h"
#include "daemon/store.h"
#include "daemon/tallies.h"
#include "daemon/upkeep.h"
#include "daemon/workers.h"
#include "plan/expected.h"
#include "plan/registrations.h"
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

/// Subnet management packets that were sent, whatever for, since the device came.
struct SmpTotals {
  std::uint64_t sent = 0;
  std::uint64_t sets = 0;  ///< Of these.
  std::uint64_t timeouts = 0;
};

struct ApiSource {
  std::function<Status()> status;
  std::function<std::shared_ptr<const plan::View>()> view;  ///< Null before the first sweep has ended.
  /// The last Fabric from which nothing was missing; null before there was one.
  std::function<std::shared_ptr<const fabric::Fabric>()> whole;
  /// Events in memory that match, oldest first.
  std::function<std::vector<Event>(const EventQuery&)> events;
  /// Ids of the oldest event in memory and of the newest.
  std::function<std::pair<std::uint64_t, std::uint64_t>()> event_ids;
  /// Events of the store that match; the answer comes on the loop.
  std::function<void(EventQuery, Store::EventsDone)> past_events;
  std::function<std::vector<SweepReport>()> sweeps;                ///< In memory, newest last.
  std::function<void(SweepQuery, Store::SweepsDone)> past_sweeps;  ///< Those of the store.
  std::shared_ptr<News> news;  ///< Told of every event, sweep and change of state.
  Workers* workers = nullptr;  ///< For what takes long to compute; no others wait for these.
  /// Asks for a full sweep and returns its number; it is reported in `sweeps` when it has ended.
  std::function<std::uint64_t(std::string cause)> sweep;
  /// Takes the fabric as it is for whole, and asks for a sweep as above.
  std::function<std::uint64_t()> accept;
  /// Asks this standby, or the best one, to take over; to whom, for people.
  std::function<Result<std::string>(std::optional<Guid>)> hand_over;
  std::function<std::vector<UpkeepRow>()> upkeep;
  std::function<Result<std::string>(const UpkeepRequest&)> ask_upkeep;
  /// Of the fabric from the expected topology; null while nothing is compared.
  std::function<std::shared_ptr<const std::vector<plan::Deviation>>()> deviations;
  std::function<std::shared_ptr<const config::Loaded>()> config;
  std::function<ConfigKeeper*()> configs;  ///< Null where no other configuration is taken.
  std::string config_file;                 ///< Where weftd reads it from; empty without one.
  /// Reads a text as the configuration file; the answer comes on the loop.
  std::function<void(std::string text, std::function<void(Result<config::Loaded>)>)> read_config;
  /// Why it cannot take the place of the one in force while weftd runs; empty when it can.
  std::function<std::string(const config::Loaded&)> config_objection;
  /// What these settings would change; the answer comes on the loop.
  std::function<void(std::shared_ptr<const config::Settings>, std::function<void(const Result<Preview>&)>)>
      preview;
  /// Takes over LIDs from an exported Ledger, used from the next sweep on, and registrations: what became of
  /// these; nothing: they wait until we are master, in memory only.
  std::function<Result<std::optional<plan::TakenOver>>(const plan::Ledger&)> import_ledger;
  std::function<std::optional<SaView>()> sa;  ///< Nothing without a device.
  std::function<const Tallies&()> tallies;
  std::function<SmpTotals()> smps;
  std::function<const std::map<plan::Place, PortReadings>&()> readings;  ///< Of counters.
  /// Reads the counters of one port now; the answer comes on the loop.
  std::function<void(fabric::PortRef, CounterPoll::Take)> read_counters;
  std::function<Instant()> clock;  ///< What the times of readings are of.
};

}  // namespace weft::daemon
