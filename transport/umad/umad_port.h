#pragma once
// UmadPort: one open port of the kernel's user MAD interface (libibumad), with an agent for every class that
// can arrive: the simulator's stand-in for libibumad dies of a class that has none.

#include <array>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "mad/mad.h"

namespace weft::transport {

/// A class and the methods by which others may address us.
struct Registration {
  mad::MgmtClass mgmt_class;
  int version;
  std::vector<mad::Method> methods;
};
/// Every class that a manager registers for.
std::vector<Registration> registrations();

class UmadPort {
 public:
  /// Opens the port and registers the agents. Errors: `unavailable` when the device is not there; `system`
  /// with device, port, class and the kernel's reason.
  static Result<UmadPort> open(const std::string& device, PortNum number);
  UmadPort(UmadPort&& other) noexcept;
  UmadPort& operator=(UmadPort&&) = delete;
  ~UmadPort();

  /// Hands a MAD to the kernel. `timeout` 0: no answer is awaited; else the kernel gives the request back
  /// after it. Errors: `unavailable` when the device is gone; `system`; `invalid` for a class without agent.
  Result<void> send(const mad::Mad& mad, Duration timeout);

  struct Received {
    mad::Mad mad;
    bool undelivered = false;  ///< One of our own requests, which got no answer.
  };
  /// Waits for MADs, at most `wait`, then takes what is there, up to 64. Errors: `unavailable` when the
  /// device is gone. The one function that another thread may call meanwhile.
  Result<std::vector<Received>> receive(std::chrono::milliseconds wait);

  /// IsSM is set while the issm device is open. Errors: `conflict` when another program holds it; `system`.
  Result<void> set_is_sm(bool on);

 private:
  UmadPort(std::string device, PortNum number, int port)
      : device_(std::move(device)), number_(number), port_(port) {}
  Result<void> register_agents();

  struct Agent {
    mad::MgmtClass mgmt_class{};
    int id = -1;
  };
  std::string device_;
  PortNum number_;
  int port_ = -1;
  int issm_fd_ = -1;
  std::vector<Agent> agents_;
  std::vector<std::uint8_t> outgoing_;
  std::vector<std::uint8_t> incoming_;
};

}  // namespace weft::transport
