#pragma once
// CounterPoll: reads the counters of switch ports, a switch at a time, all of them once an interval, and
// those of any port when somebody asks. Tells SymbolErrors by the hour and links that went down more often
// than anybody has seen. Only PortCounters that are full are set back, and of those only the counter that is.
// Source: IBTA vol. 1, 16.1 (class 4).

#include <deque>
#include <functional>
#include <map>
#include <set>

#include "daemon/link_health.h"
#include "mad/perf.h"
#include "plan/view.h"
#include "transport/concurrency.h"
#include "transport/transport.h"

namespace weft::daemon {

/// The counters of a port as they were read. Data in words of 4 bytes.
struct PortReading {
  Instant at{};
  bool wide = false;  ///< With 64 bits; else they stop at 32, 16 or 8 bits, and some are 0.
  mad::PortCountersExtended counted;
};

/// The last two readings of a port.
struct PortReadings {
  PortReading now;
  std::optional<PortReading> before;
};

class CounterPoll {
 public:
  /// All must outlive it; `tasks` must have ended before it does.
  struct Surroundings {
    transport::Transport* transport = nullptr;
    Clock* clock = nullptr;
    transport::Tasks* tasks = nullptr;
    std::function<std::shared_ptr<const plan::View>()> view;  ///< Null while nothing is to be read.
    /// The link went down so many times that nobody saw.
    std::function<void(const LinkEnds&, int times)> went_down;
    /// A port of the link has counted so many SymbolErrors in the last hour: more than the limit.
    std::function<void(const LinkEnds&, plan::Place port, std::uint64_t errors)> too_many_errors;
  };
  CounterPoll(Surroundings around, const config::LinkHealthSettings& settings, Duration timeout);
  ~CounterPoll();
  CounterPoll(const CounterPoll&) = delete;
  CounterPoll& operator=(const CounterPoll&) = delete;

  void set_settings(const config::LinkHealthSettings& settings, Duration timeout);
  void stop();
  /// The link was seen down: its counter will say so, too.
  void saw_down(const LinkEnds& link);
  /// Ports with too many SymbolErrors in the last hour, in words.
  std::vector<std::pair<Guid, std::string>> problems() const;
  std::uint64_t reads() const { return reads_; }
  /// What was last read, by port.
  const std::map<plan::Place, PortReadings>& readings() const { return readings_; }
  /// Reads one port, of a switch or a host, now. Errors: those of the exchange.
  using Take = std::function<void(Result<PortReadings>)>;
  void read_now(std::shared_ptr<const plan::View> view, fabric::PortRef port, Take take);

 private:
  struct Counts {
    std::uint64_t symbols = 0;
    std::uint64_t downs = 0;
  };
  struct Port {
    std::optional<Counts> last;                             ///< Nothing before the first reading.
    std::deque<std::pair<Instant, std::uint64_t>> symbols;  ///< New ones, within the last hour.
    std::string problem;
  };
  void arm();
  void next_switch();
  asio::awaitable<void> read_switch(std::shared_ptr<const plan::View> view, NodeId node);
  asio::awaitable<std::optional<bool>> has_extended(Guid node, Lid lid);
  asio::awaitable<std::optional<PortReading>> read_port(Lid lid, PortNum port, bool extended);
  asio::awaitable<void> read_one(std::shared_ptr<const plan::View> view, fabric::PortRef port, Take take);
  const PortReadings& keep(plan::Place place, PortReading reading);
  asio::awaitable<Result<mad::Mad>> ask(mad::Mad request);
  void take(const plan::View& view, fabric::PortRef port, Counts now);

  Surroundings around_;
  config::LinkHealthSettings settings_;
  Duration timeout_;
  Clock::TimerId timer_ = Clock::TimerId::none;
  std::size_t next_ = 0;  ///< Switch, by SwitchId.
  bool reading_ = false;
  bool stopped_ = false;
  std::map<Guid, bool> extended_;  ///< Switches that have told.
  std::map<plan::Place, Port> ports_;
  std::map<plan::Place, PortReadings> readings_;
  std::map<LinkEnds, std::uint64_t> seen_downs_;
  std::uint64_t reads_ = 0;
};

}  // namespace weft::daemon
