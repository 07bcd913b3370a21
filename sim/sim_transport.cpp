#include "sim/sim_transport.h"

namespace weft::sim {

SimTransport::SimTransport(Network& network, PortIndex port)
    : Transport(network.world().clock()),
      network_(network),
      local_{"sim", network.world().port(port).number, network.world().port(port).guid},
      client_(network.attach(port, *this)) {}

SimTransport::~SimTransport() {
  if (attached_) network_.detach(client_);
}

Result<std::unique_ptr<SimTransport>> SimTransport::open(Network& network, std::string_view node,
                                                         PortNum port) {
  const World& world = network.world();
  std::optional<NodeIndex> found = world.find(node);
  if (!found)
    if (const std::optional<Guid> guid = guid_from(node)) found = world.find(*guid);
  if (!found) return fail(Errc::not_found, "no node \"{}\" in the simulated fabric", node);
  const PortIndex index = world.port_of(*found, port);
  if (index == kNoPort || (world.is_switch(*found) && port != PortNum{0}))
    return fail(Errc::not_found, "no program can be attached to port {} of {}", raw(port), node);
  if (!network.available(index)) return fail(Errc::unavailable, "{} is not there yet", world.name(index));
  return std::make_unique<SimTransport>(network, index);
}

Result<void> SimTransport::send(const mad::Mad& mad) {
  if (!attached_) return fail(Errc::unavailable, "not attached to the simulated fabric");
  network_.send(client_, mad);
  return {};
}

Result<void> SimTransport::set_is_sm(bool on) {
  if (!attached_) return fail(Errc::unavailable, "not attached to the simulated fabric");
  network_.set_is_sm(client_, on);
  return {};
}

void SimTransport::close() {
  if (attached_) network_.detach(client_);
  attached_ = false;
  Transport::close();
}

void SimTransport::device_lost(const Error& why) {
  attached_ = false;
  lose(why);
}

}  // namespace weft::sim
