#include "transport/ibsim/ibsim_transport.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "log/log.h"
#include "mad/sm_info.h"
#include "mad/smp.h"

namespace weft::transport {

using ibsim::Control;
using ibsim::ControlMessage;
using ibsim::Sent;

namespace {

/// Most kernel calls for receiving in a row; then others on the loop have their turn.
constexpr int kReadsPerTurn = 4;

std::uint32_t low_tid(const mad::Mad& mad) { return static_cast<std::uint32_t>(mad::tid_of(mad)); }

/// How long the manager at our own port may take to say who it is.
constexpr Duration kManagerTimeout = std::chrono::milliseconds(500);

/// A Get to our own port.
mad::Mad own_request(mad::AttrId attribute) {
  mad::Smp smp;
  smp.attribute = attribute;
  return mad::to_mad(smp);
}

/// What the manager that answers at our own port says of itself, or that it does not.
std::string told_by(const Result<mad::Mad>& answer) {
  if (!answer) return "it does not answer";
  const Result<mad::Smp> smp = mad::to_smp(*answer);
  if (!smp || smp->status != 0) return "it does not answer";
  const auto info = mad::decode<mad::SmInfo>(smp->data);
  return fmt::format("it says that it is {}, priority {}", mad::name(info.state), info.priority);
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

IbsimTransport::Options IbsimTransport::options_from_environment() {
  Options options;
  if (std::string name = variable("IBSIM_SOCKNAME"); !name.empty()) options.server.name = std::move(name);
  const std::string port = variable("IBSIM_SERVER_PORT");
  options.server.host = variable("IBSIM_SERVER_NAME");
  if (!port.empty()) {
    std::from_chars(port.data(), port.data() + port.size(), options.server.port);
    if (options.server.host.empty()) options.server.host = "localhost";
  }
  options.node = variable("SIM_HOST");
  options.is_sm = std::getenv("SIM_SET_ISSM") != nullptr;
  return options;
}

IbsimTransport::IbsimTransport(asio::io_context& loop, Clock& clock, Options options)
    : Transport(clock),
      options_(std::move(options)),
      loop_(loop),
      control_(loop),
      data_(loop),
      requests_(options_.window) {}

IbsimTransport::~IbsimTransport() { IbsimTransport::close(); }

asio::awaitable<Result<std::unique_ptr<IbsimTransport>>> IbsimTransport::attached(asio::io_context& loop,
                                                                                  Clock& clock,
                                                                                  Options options) {
  std::unique_ptr<IbsimTransport> transport(new IbsimTransport(loop, clock, std::move(options)));
  Result<void> done = co_await transport->attach();
  if (!done) co_return fail(done.error());
  co_return Result<std::unique_ptr<IbsimTransport>>(std::move(transport));
}

asio::awaitable<Result<std::unique_ptr<IbsimTransport>>> IbsimTransport::connect(asio::io_context& loop,
                                                                                 Clock& clock,
                                                                                 Options options) {
  Result<std::unique_ptr<IbsimTransport>> made = co_await attached(loop, clock, options);
  const bool refused = !made && made.error().code == Errc::conflict;
  if (!refused) co_return made;

  // ibsim does not say why: it is asked for less, until it grants it.
  const std::string server = to_string(options.server);
  Options guest = options;
  guest.is_sm = false;
  if (options.is_sm) {
    Result<std::unique_ptr<IbsimTransport>> visitor = co_await attached(loop, clock, guest);
    if (visitor) {
      const mad::Mad question = own_request(mad::AttrId::sm_info);
      const Duration patience = kManagerTimeout;
      Result<mad::Mad> answer = co_await (*visitor)->exchange(question, patience);
      const std::string where =
          options.node.empty() ? to_string((*visitor)->local_port().guid) : options.node;
      visitor->reset();
      // ibsim notices that a program was killed when it hands a request on to it.
      made = co_await attached(loop, clock, options);
      if (made || made.error().code != Errc::conflict) co_return made;
      co_return fail(Errc::conflict,
                     "another program is subnet manager at our own port, {} of {}: {}. Stop it, or name "
                     "another node in transport.ibsim.host",
                     where, server, told_by(answer));
    }
    if (visitor.error().code != Errc::conflict) co_return fail(visitor.error());
  }
  if (!guest.node.empty()) {
    guest.node.clear();
    Result<std::unique_ptr<IbsimTransport>> elsewhere = co_await attached(loop, clock, guest);
    if (elsewhere)
      co_return fail(Errc::invalid, "{} has no node {}; name one of its nodes in transport.ibsim.host",
                     server, options.node);
    if (elsewhere.error().code != Errc::conflict) co_return fail(elsewhere.error());
  }
  co_return fail(Errc::unavailable, "{} has no room for another program; ibsim serves ten", server);
}

asio::awaitable<Result<void>> IbsimTransport::attach() {
  const ibsim::Server& server = options_.server;
  if (options_.node.size() > ibsim::kNodeNameSize)
    co_return fail(Errc::invalid, "node name {} is longer than {} characters", options_.node,
                   ibsim::kNodeNameSize);
  Result<ibsim::Endpoint> endpoint = ibsim::open_endpoint(server);
  if (!endpoint) co_return fail(endpoint.error());
  control_.assign(endpoint->control.release());
  read_control();

  ControlMessage hello = ibsim::connect_message(endpoint->id, options_.is_sm, options_.node);
  ibsim::ask_for_silent_loss(hello, static_cast<std::uint32_t>(options_.port));
  Result<ControlMessage> welcome = co_await ask_server(hello);
  if (!welcome) co_return fail(welcome.error());
  if (welcome->type != Control::connect) co_return fail(Errc::conflict, "{} refuses", to_string(server));
  client_ = ibsim::first_number(*welcome);
  attached_ = true;
  Result<void> connected = ibsim::connect_data(server, *endpoint, client_);
  if (!connected) co_return fail(connected.error());
  data_.assign(endpoint->data.release());

  read_data();
  Result<mad::NodeInfo> info = co_await who_we_are();
  if (!info) co_return fail(Errc::unavailable, "{}: own NodeInfo: {}", to_string(server), info.error().what);
  local_port_ = {"ibsim", info->type == NodeType::switch_ ? PortNum{0} : info->local_port, info->port_guid};
  if (!options_.is_sm) co_return Result<void>();
  // CONNECT made us the manager of the port; this sets the bit.
  const ControlMessage claim = ibsim::set_is_sm_message(client_, true);
  Result<ControlMessage> claimed = co_await ask_server(claim);
  if (!claimed) co_return fail(claimed.error());
  if (claimed->type == Control::error) co_return fail(Errc::conflict, "{} refuses IsSM", to_string(server));
  is_sm_ = true;
  co_return Result<void>();
}

/// The server is asked, as a driver is: a port with an M_Key does not tell by packets who it is. Stock ibsim
/// names the node's GUID instead of the port's on channel adapters; there the packet tells, and where that is
/// not answered, discovery will.
asio::awaitable<Result<mad::NodeInfo>> IbsimTransport::who_we_are() {
  const ControlMessage question = ibsim::get_node_info_message(client_);
  Result<ControlMessage> told = co_await ask_server(question);
  if (!told) co_return fail(told.error());
  if (told->type != Control::get_node_info) co_return fail(Errc::unavailable, "the server does not tell it");
  auto info = mad::decode<mad::NodeInfo>(std::span<const std::uint8_t>(told->data));
  if (info.type == NodeType::switch_ || info.port_guid != info.node_guid) co_return info;
  const mad::Mad packet = own_request(mad::AttrId::node_info);
  const Duration timeout = options_.connect_timeout;
  Result<mad::Mad> answer = co_await exchange(packet, timeout);
  if (!answer && answer.error().code != Errc::timeout) co_return fail(answer.error());
  info.port_guid = Guid{};
  if (answer) info = mad::decode<mad::NodeInfo>(std::span(answer->bytes).subspan(mad::kSmpDataAt));
  co_return info;
}

asio::awaitable<Result<ControlMessage>> IbsimTransport::ask_server(ControlMessage message) {
  return suspend<Result<ControlMessage>>([this, message](Completion<Result<ControlMessage>> done) {
    asked_ = std::move(done);
    asked_type_ = message.type;
    const Sent sent = ibsim::send_control(control_.native_handle(), message);
    if (sent != Sent::ok) {
      asked_(fail(Errc::unavailable, "{}: {}", to_string(options_.server), std::strerror(errno)));
      return;
    }
    ask_timer_ = clock().after(options_.connect_timeout, [this] {
      if (asked_) asked_(fail(Errc::unavailable, "{} does not answer", to_string(options_.server)));
    });
  });
}

void IbsimTransport::read_control() {
  control_.async_wait(asio::posix::descriptor_base::wait_read,
                      [this, alive = Alive(alive_)](const boost::system::error_code& error) {
                        if (!alive.expired() && !error && control_.is_open()) take_control();
                      });
}

void IbsimTransport::take_control() {
  while (const std::optional<ControlMessage> message = ibsim::receive_control(control_.native_handle())) {
    // A socket of this name before ours may have left without waiting for its last answers.
    const bool ours = message->type == asked_type_ || message->type == Control::error;
    if (asked_ && ours) {
      clock().cancel(ask_timer_);
      asked_(*message);
    } else if (message->type == Control::error && std::exchange(is_sm_, false)) {
      return lose(Error{Errc::conflict,
                        "another program has taken IsSM at our port of " + to_string(options_.server)});
    } else if (message->type == Control::error) {
      log::named("transport")
          ->warn("ibsim refused a request server={} client={}", options_.server.name, client_);
    }
  }
  read_control();
}

void IbsimTransport::read_data() {
  data_.async_wait(asio::posix::descriptor_base::wait_read,
                   [this, alive = Alive(alive_)](const boost::system::error_code& error) {
                     if (!alive.expired() && !error && data_.is_open()) take_data();
                   });
}

void IbsimTransport::take_data() {
  const Alive alive(alive_);
  for (int i = 0; i < kReadsPerTurn; ++i) {
    const auto datagrams = receiver_.receive(data_.native_handle());
    if (!datagrams)
      return lose(Error{datagrams.error().code, to_string(options_.server) + ": " + datagrams.error().what});
    for (const ibsim::Receiver::Datagram& datagram : *datagrams) {
      take(datagram);
      if (alive.expired() || !data_.is_open()) return;
    }
    if (!receiver_.was_full()) break;
  }
  read_data();
}

void IbsimTransport::take(const ibsim::Receiver::Datagram& datagram) {
  if (ibsim::status_of(datagram.envelope) == 0) return deliver(datagram.mad);
  // Ours, come back undelivered. The transaction id of a reply is its asker's, not ours.
  if (mad::is_response(mad::method_of(datagram.mad))) return;
  give_up(low_tid(datagram.mad), Errc::timeout);
}

Result<void> IbsimTransport::send(const mad::Mad& mad) {
  if (!data_.is_open() || losing_) return fail(Errc::cancelled, "{} is gone", to_string(options_.server));
  unanswered_.push_back(mad);
  flush_soon();
  return {};
}

Result<void> IbsimTransport::submit(const mad::Mad& request, Duration timeout) {
  requests_.push(request, timeout);
  if (losing_) return fail(Errc::cancelled, "{} is gone", to_string(options_.server));
  flush_soon();
  return {};
}

void IbsimTransport::ended(std::uint32_t tid) {
  if (!data_.is_open()) return;
  requests_.ended(tid);
  if (requests_.ready() > 0) flush_soon();
}

void IbsimTransport::flush_soon() {
  if (std::exchange(flushing_, true)) return;
  asio::post(loop_, [this, alive = Alive(alive_)] {
    if (!alive.expired() && data_.is_open()) flush();
  });
}

void IbsimTransport::flush() {
  flushing_ = false;
  std::array<const mad::Mad*, ibsim::kBatch> batch{};
  while (!losing_) {
    const std::size_t count = collect(batch);
    if (count == 0) return;
    const ibsim::SentMads sent = ibsim::send_mads(data_.native_handle(), std::span(batch).first(count));
    left(sent.count);
    if (sent.rest == Sent::full) return flush_when_writable();
    if (sent.rest == Sent::gone) return lose_soon();
    if (sent.rest == Sent::refused) drop_first();
  }
}

std::size_t IbsimTransport::collect(std::span<const mad::Mad*> batch) const {
  std::size_t count = 0;
  for (auto at = unanswered_.begin(); at != unanswered_.end() && count < batch.size(); ++at)
    batch[count++] = &*at;
  const std::size_t ready = requests_.ready();
  for (std::size_t i = 0; i < ready && count < batch.size(); ++i) batch[count++] = &requests_.at(i).mad;
  return count;
}

void IbsimTransport::left(std::size_t count) {
  for (; count > 0 && !unanswered_.empty(); --count) unanswered_.pop_front();
  requests_.left(count);
}

void IbsimTransport::drop_first() {
  log::named("transport")
      ->warn("ibsim send failed server={} error=\"{}\"", options_.server.name, std::strerror(errno));
  if (!unanswered_.empty()) return unanswered_.pop_front();
  const std::uint32_t tid = low_tid(requests_.at(0).mad);
  give_up(tid, Errc::system);
}

void IbsimTransport::flush_when_writable() {
  flushing_ = true;
  data_.async_wait(asio::posix::descriptor_base::wait_write,
                   [this, alive = Alive(alive_)](const boost::system::error_code& error) {
                     if (!alive.expired() && !error && data_.is_open()) flush();
                   });
}

void IbsimTransport::lose_soon() {
  if (std::exchange(losing_, true)) return;
  asio::post(loop_, [this, alive = Alive(alive_)] {
    if (!alive.expired()) lose(Error{Errc::unavailable, to_string(options_.server) + " is gone"});
  });
}

Result<void> IbsimTransport::set_is_sm(bool on) {
  if (!control_.is_open()) return fail(Errc::cancelled, "the transport is closed");
  if (on == is_sm_) return {};
  const Sent sent = ibsim::send_control(control_.native_handle(), ibsim::set_is_sm_message(client_, on));
  if (sent == Sent::gone) lose_soon();
  if (sent != Sent::ok) return fail(Errc::system, "{}: {}", to_string(options_.server), std::strerror(errno));
  is_sm_ = on;
  return {};
}

void IbsimTransport::close() {
  clock().cancel(ask_timer_);
  if (attached_) {
    ControlMessage goodbye;
    goodbye.client = client_;
    goodbye.type = Control::disconnect;
    // ibsim leaves IsSM set when it is not cleared first. Nothing is left to do if it is gone already.
    if (is_sm_) ibsim::send_control(control_.native_handle(), ibsim::set_is_sm_message(client_, false));
    ibsim::send_control(control_.native_handle(), goodbye);
    attached_ = false;
  }
  boost::system::error_code ignored;
  control_.close(ignored);
  data_.close(ignored);
  unanswered_.clear();
  requests_.clear();
  Transport::close();
}

}  // namespace weft::transport
