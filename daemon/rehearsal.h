#pragma once
// Rehearsal: a way to the fabric on which nothing is set. Every Set is counted and answered in place of the
// device; what devices hold beside that is asked of them. So that what would be sent is found by the very
// code that sends it.

#include <map>
#include <memory>

#include "transport/smp_client.h"

namespace weft::daemon {

class Rehearsal {
 public:
  /// Asks by the way of `real`, which must outlive it.
  Rehearsal(transport::SmpClient& real, Clock& clock, asio::any_io_executor executor);
  ~Rehearsal();
  Rehearsal(const Rehearsal&) = delete;
  Rehearsal& operator=(const Rehearsal&) = delete;

  transport::SmpClient& client();
  /// Sets so far, by attribute.
  const std::map<mad::AttrId, std::uint64_t>& sets() const;
  /// Waits for what is asked of devices still.
  asio::awaitable<void> ended();

 private:
  class StandIn;
  std::unique_ptr<StandIn> stand_in_;
  std::unique_ptr<transport::SmpClient> client_;
};

}  // namespace weft::daemon
