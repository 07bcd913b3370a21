#pragma once
// Watch: a standby asks the manager it waits for, from time to time, whether it is still there and still what
// it was. A manager whose ActCount stands still has died, though somebody answers in its name.

#include <functional>
#include <string>

#include "base/clock.h"
#include "discovery/discover.h"
#include "transport/concurrency.h"
#include "transport/smp_client.h"

namespace weft::daemon {

class Watch {
 public:
  struct Surroundings {
    transport::SmpClient* client = nullptr;
    Clock* clock = nullptr;
    transport::Tasks* tasks = nullptr;
    /// Whom we waited for is gone, with the reason; the watch has ended.
    std::function<void(const discovery::Manager&, std::string why)> lost;
    /// It has answered.
    std::function<void(const mad::SmInfo&)> there;
  };
  explicit Watch(Surroundings around) : around_(std::move(around)) {}
  ~Watch() { stop(); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// The first question goes out after one interval.
  void start(discovery::Manager whom, Duration interval, int misses);
  void stop();
  const std::optional<discovery::Manager>& whom() const { return whom_; }

 private:
  void ask_later();
  asio::awaitable<void> ask(std::uint64_t round);
  void answered(const mad::SmInfo& info);
  void missed(std::string why);
  void give_up(std::string why);

  Surroundings around_;
  std::optional<discovery::Manager> whom_;
  Duration interval_{};
  Instant asked_{};
  int patience_ = 1;
  int missed_ = 0;
  int not_master_ = 0;  ///< Answers in a row of one that is still on its way to be master.
  std::uint64_t round_ =
      0;  ///< Rises with start() and stop(): an answer to an older question does not count.
  Clock::TimerId timer_ = Clock::TimerId::none;
};

}  // namespace weft::daemon
