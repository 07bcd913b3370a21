#pragma once
// OwnPort: looks at our own port once a second, which costs no packet on the fabric. When the switch before
// us boots or our cable is touched no trap can reach us: our port is what tells.

#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"
#include "mad/port_info.h"
#include "transport/concurrency.h"
#include "transport/transport.h"

namespace weft::daemon {

class OwnPort {
 public:
  struct Surroundings {
    transport::Transport* transport = nullptr;
    Clock* clock = nullptr;
    transport::Tasks* tasks = nullptr;
    std::function<std::uint64_t()> m_key;
    /// The last sweep left it Active, and no other one is under way.
    std::function<bool()> settled;
    /// It is not Active any more; or its link was down and is back.
    std::function<void(const std::string& what)> changed;
  };
  explicit OwnPort(Surroundings around) : around_(std::move(around)) {}
  ~OwnPort() { stop(); }
  OwnPort(const OwnPort&) = delete;
  OwnPort& operator=(const OwnPort&) = delete;

  void start();
  void stop();
  /// Since when it has had no link; nothing while it has one, or nothing is known.
  std::optional<Instant> down_since() const { return down_since_; }

 private:
  asio::awaitable<void> look();
  void compare(const mad::PortInfo& now);

  Surroundings around_;
  std::optional<PortState> seen_;
  std::optional<Instant> down_since_;
  Clock::TimerId timer_ = Clock::TimerId::none;
};

}  // namespace weft::daemon
