#pragma once
// Audit: reads back, slowly and for ever, what every device holds: forwarding, P_Key, SL2VL, VL arbitration
// and multicast tables, and the settings of its ports. What differs from the plan has been changed by
// somebody else, or by a fault of the device: it is told, and written again.

#include <functional>
#include <memory>
#include <string>

#include "daemon/status.h"
#include "mad/blocks.h"
#include "plan/view.h"
#include "transport/concurrency.h"
#include "transport/smp_client.h"

namespace weft::daemon {

class Audit {
 public:
  struct Surroundings {
    transport::SmpClient* client = nullptr;
    Clock* clock = nullptr;
    transport::Tasks* tasks = nullptr;
    const mad::Shadow* devices = nullptr;  ///< What multicast tables were last set to.
    /// What is in force; null while a sweep is at work or the last one was not clean.
    std::function<std::shared_ptr<const plan::View>()> at_rest;
    std::function<std::uint64_t()>
        sweeps;  ///< Rises with every sweep: what was read across one says nothing.
    std::function<void(Guid node, const std::string& what)> drifted;
    std::function<void(Severity, std::string)> tell;
  };
  explicit Audit(Surroundings around) : around_(std::move(around)) {}
  ~Audit() { stop(); }
  Audit(const Audit&) = delete;
  Audit& operator=(const Audit&) = delete;

  /// One round over the whole fabric takes `interval`; 0: no audit. Goes on where it was.
  void start(Duration interval);
  void stop();

 private:
  void next_later();
  asio::awaitable<void> look_at_next();
  void finish_round();

  Surroundings around_;
  Duration interval_{};
  Clock::TimerId timer_ = Clock::TimerId::none;
  std::size_t next_ = 0;  ///< NodeId.
  std::size_t looked_at_ = 0;
  std::size_t drifted_ = 0;
};

}  // namespace weft::daemon
