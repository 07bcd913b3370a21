#pragma once
// SimTransport: a Transport in process, attached to a port of a simulated fabric. Several may be attached at
// once, also to one port.

#include <memory>
#include <string_view>

#include "sim/network.h"
#include "transport/transport.h"

namespace weft::sim {

class SimTransport final : public transport::Transport, private Endpoint {
 public:
  /// `port` must be an HCA port or a switch's port 0, and there.
  SimTransport(Network& network, PortIndex port);
  ~SimTransport() override;

  /// By node id, description or GUID ("0x..."), and port. Errors: `not_found`; `unavailable` while the device
  /// is not there yet.
  static Result<std::unique_ptr<SimTransport>> open(Network& network, std::string_view node, PortNum port);

  Result<void> send(const mad::Mad& mad) override;
  const transport::LocalPort& local_port() const override { return local_; }
  Result<void> set_is_sm(bool on) override;
  void close() override;

 private:
  void receive(const mad::Mad& mad) override { deliver(mad); }
  void device_lost(const Error& why) override;

  Network& network_;
  transport::LocalPort local_;
  Network::ClientId client_;
  bool attached_ = true;
};

}  // namespace weft::sim
