#pragma once
// UmadTransport: a port of a real device, or of ibsim under `ibsim-run`. Sending is done on the loop; one
// thread blocks in umad_recv and posts what came, many MADs at a time: under the simulator no descriptor of
// ours can be waited for in any other way. At most kWindow requests are on the wire, more wait here: with
// some 250 the simulator blocks our send, which holds the lock that our receiving needs. There, MADs are cut
// at 224 bytes, so nothing may be read into the tail of a longer one.

#include <memory>

#include <boost/asio/executor_work_guard.hpp>

#include "transport/request_queue.h"
#include "transport/transport.h"
#include "transport/umad/ports.h"

namespace weft::transport {

class UmadTransport final : public Transport {
 public:
  static constexpr int kWindow = 128;

  /// Opens the port. Errors: `unavailable` while the device is not there; `system` with class and reason when
  /// the kernel refuses. The caller tries again.
  static Result<std::unique_ptr<UmadTransport>> open(asio::io_context& loop, Clock& clock,
                                                     const PortEntry& port);
  /// Clears IsSM and frees the port; takes up to a tenth of a second until the thread has ended.
  ~UmadTransport() override;

  Result<void> send(const mad::Mad& mad) override;
  const LocalPort& local_port() const override { return local_port_; }
  Result<void> set_is_sm(bool on) override;
  void close() override;

 private:
  class Receiver;
  UmadTransport(asio::io_context& loop, Clock& clock, const PortEntry& port,
                std::unique_ptr<Receiver> receiver);
  Result<void> submit(const mad::Mad& request, Duration timeout) override;
  void ended(std::uint32_t tid) override;
  void send_ready();
  Result<void> hand_over(const mad::Mad& mad, Duration timeout);
  void take_all();
  void lose_soon(const Error& why);

  asio::io_context& loop_;
  asio::executor_work_guard<asio::io_context::executor_type> keeps_loop_;
  LocalPort local_port_;
  std::unique_ptr<Receiver> receiver_;
  RequestQueue requests_{kWindow};
  bool sending_ = false;
  bool losing_ = false;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // handlers of the loop hold it weakly
};

}  // namespace weft::transport
