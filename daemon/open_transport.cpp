#include "daemon/open_transport.h"

#include "transport/ibsim/ibsim_transport.h"
#include "transport/umad/ports.h"
#include "transport/umad/umad_transport.h"

namespace weft::daemon {
namespace {

using Opened = Result<std::unique_ptr<transport::Transport>>;

Opened open_umad(asio::io_context& loop, Clock& clock, const config::PortChoice& choice) {
  Result<std::vector<transport::PortEntry>> ports = transport::list_ports();
  if (!ports) return fail(ports.error().code, "waiting for device: {}", ports.error().what);
  transport::WantedPort wanted;
  wanted.device = choice.device;
  if (choice.number) wanted.number = static_cast<PortNum>(*choice.number);
  if (choice.guid) wanted.guid = *choice.guid;
  Result<transport::PortEntry> chosen = transport::choose_port(*ports, wanted);
  if (!chosen) return fail(chosen.error());
  auto opened = transport::UmadTransport::open(loop, clock, *chosen);
  if (!opened) return fail(opened.error());
  return std::unique_ptr<transport::Transport>(std::move(*opened));
}

asio::awaitable<Opened> open_ibsim(asio::io_context& loop, Clock& clock,
                                   const config::TransportSettings& settings) {
  transport::IbsimTransport::Options options = transport::IbsimTransport::options_from_environment();
  options.server.name = settings.ibsim_socket;
  options.node = settings.ibsim_host;
  options.is_sm = true;
  const config::PortChoice& wanted = settings.port;
  if (!wanted.device.empty() && wanted.device != "ibsim")
    co_return fail(Errc::invalid,
                   "port.device is {}, but the only device of transport.kind ibsim is called ibsim; "
                   "transport.ibsim.host names the node",
                   wanted.device);
  if (wanted.number) options.port = *wanted.number;
  auto connected = co_await transport::IbsimTransport::connect(loop, clock, options);
  if (!connected) co_return fail(connected.error());
  const transport::LocalPort& got = (*connected)->local_port();
  const bool other_number = wanted.number && raw(got.number) != *wanted.number;
  const bool other_guid = wanted.guid && got.guid != *wanted.guid;
  if (other_number || other_guid)
    co_return fail(
        Errc::invalid,
        "port asks for {}{}{}, but the node given by transport.ibsim.host ({}) is reached by its port {}, "
        "GUID {}; ibsim attaches programs to the first port of a node",
        wanted.number ? fmt::format("number {}", *wanted.number) : "",
        wanted.number && wanted.guid ? ", " : "", wanted.guid ? "GUID " + to_string(*wanted.guid) : "",
        options.node.empty() ? "none: the first" : options.node, raw(got.number), to_string(got.guid));
  co_return std::unique_ptr<transport::Transport>(std::move(*connected));
}

}  // namespace

OpenTransport open_real_transport(asio::io_context& loop, Clock& clock) {
  struct Open {
    asio::io_context* loop;
    Clock* clock;
    static asio::awaitable<Opened> run(asio::io_context* loop, Clock* clock,
                                       std::shared_ptr<const config::Settings> settings) {
      if (settings->transport.kind == config::TransportKind::umad)
        co_return open_umad(*loop, *clock, settings->transport.port);
      Opened opened = co_await open_ibsim(*loop, *clock, settings->transport);
      co_return opened;
    }
    asio::awaitable<Opened> operator()(std::shared_ptr<const config::Settings> settings) const {
      return run(loop, clock, std::move(settings));
    }
  };
  return Open{&loop, &clock};
}

}  // namespace weft::daemon
