#include "daemon/http_server.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <type_traits>

#include "daemon/http_gzip.h"
#include "daemon/http_state.h"
#include "daemon/log.h"
#include "transport/real_clock.h"

namespace weft::daemon {

using boost::system::error_code;
using detail::Connection;
using detail::HttpState;
using detail::Peer;
using detail::Read;
using detail::StatePtr;

namespace {

/// A connection from its first byte to its end, however the coroutine that serves it ends.
class Served {
 public:
  Served(StatePtr state, Peer peer) : state_(std::move(state)), peer_(std::move(peer)) {}
  ~Served() {
    peer_->wire.close();
    state_->connections.erase(peer_);
  }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

 private:
  StatePtr state_;
  Peer peer_;
};

class Streaming {
 public:
  explicit Streaming(StatePtr state) : state_(std::move(state)) { ++state_->streams; }
  ~Streaming() { --state_->streams; }
  Streaming(const Streaming&) = delete;
  Streaming& operator=(const Streaming&) = delete;

 private:
  StatePtr state_;
};

asio::awaitable<Response> when_there(Response::Later later) {
  return transport::suspend<Response>([later = std::move(later)](transport::Completion<Response> done) {
    const auto waiting = std::make_shared<transport::Completion<Response>>(std::move(done));
    later([waiting](Response response) {
      if (*waiting) (*waiting)(std::move(response));
    });
  });
}

asio::awaitable<void> serve(StatePtr state, Peer peer) {
  const Served served(state, peer);
  {
    const detail::Deadline deadline(state, state->options.transfer, peer);
    const error_code error = co_await peer->wire.shake_hands();
    if (error) co_return;
  }
  for (;;) {
    Read read = co_await detail::read_request(state, peer);
    if (read.ended || state->closed()) break;
    Response response = read.refusal ? std::move(*read.refusal) : state->router.answer(read.request);
    if (response.later) {
      Response::Later later = std::move(response.later);
      response = co_await when_there(std::move(later));
      if (state->closed()) break;
    }
    if (!read.refusal) response = as_accepted(std::move(response), read.request);
    std::optional<Streaming> streaming;
    if (response.live && state->streams >= state->options.streams)
      response = error_response(503, "busy", "too many streams", "try again in a moment");
    if (response.live) streaming.emplace(state);
    const bool without_length = response.more || response.live;
    const bool keep_alive = read.keep_alive && !(without_length && !read.http_1_1);
    const bool sent =
        co_await detail::send_response(state, peer, std::move(response), read.http_1_1, keep_alive);
    if (!sent || !keep_alive || state->closed()) break;
  }
}

/// One short write that cannot block; if the peer does not take it, it sees the end of the connection alone.
template <typename Socket>
void turn_away(Socket socket) {
  const Response busy =
      error_response(503, "busy", "too many connections to the control socket", "try again in a moment");
  const std::string text = detail::header_text(busy, false, false) + busy.body;
  error_code ignored;
  socket.non_blocking(true, ignored);
  socket.write_some(asio::buffer(text), ignored);
}

Peer introduce(HttpState& state, HttpState::Local::socket socket) {
  Caller caller = caller_at(socket.native_handle(), state.access);
  Peer peer = std::make_shared<Connection>(Wire::Socket(std::move(socket)), nullptr);
  peer->known = std::move(caller);
  return peer;
}

Peer introduce(HttpState& state, HttpState::Tcp::socket socket) {
  error_code ignored;
  socket.set_option(HttpState::Tcp::no_delay(true), ignored);
  const std::string from = socket.remote_endpoint(ignored).address().to_string();
  Peer peer =
      std::make_shared<Connection>(Wire::Socket(std::move(socket)), state.tls ? &*state.tls : nullptr);
  peer->from = from;
  return peer;
}

template <typename Acceptor>
asio::awaitable<void> accept_all(StatePtr state, Acceptor& acceptor) {
  while (!state->closed()) {
    error_code error;
    typename Acceptor::protocol_type::socket socket(state->loop);
    co_await acceptor.async_accept(socket, asio::redirect_error(asio::use_awaitable, error));
    if (state->closed()) co_return;
    if (error) {
      daemon_log().warn("control connection not accepted error=\"{}\"", error.message());
      co_await transport::sleep_for(*state->clock, std::chrono::milliseconds(100));
      continue;
    }
    // Who holds connections over TCP, where anybody can, takes none of the UNIX socket's.
    constexpr bool kLocal = std::is_same_v<typename Acceptor::protocol_type, HttpState::Local>;
    const auto of_this_kind = std::ranges::count_if(
        state->connections, [](const Peer& peer) { return peer->known.has_value() == kLocal; });
    if (static_cast<std::size_t>(of_this_kind) >= state->options.connections) {
      turn_away(std::move(socket));
      continue;
    }
    Peer peer = introduce(*state, std::move(socket));
    state->connections.insert(peer);
    asio::co_spawn(state->loop, serve(state, peer), asio::detached);
  }
}

Result<void> load_certificate(HttpState& state, const TcpOptions& options) {
  using Context = asio::ssl::context;
  Context& context = state.tls.emplace(Context::tls_server);
  error_code error;
  context.set_options(Context::default_workarounds | Context::no_sslv2 | Context::no_sslv3 |
                          Context::no_tlsv1 | Context::no_tlsv1_1,
                      error);
  context.use_certificate_chain_file(options.cert, error);
  if (error)
    return fail(Errc::invalid, "control.tcp.tls.cert: {} cannot be used: {}", options.cert, error.message());
  context.use_private_key_file(options.key, Context::pem, error);
  if (error)
    return fail(Errc::invalid, "control.tcp.tls.key: {} cannot be used: {}", options.key, error.message());
  return {};
}

Result<void> listen_tcp(HttpState& state, const TcpOptions& options) {
  if (!options.cert.empty()) {
    Result<void> loaded = load_certificate(state, options);
    if (!loaded) return loaded;
  }
  error_code error;
  const auto address = asio::ip::make_address(options.address, error);
  if (error) return fail(Errc::invalid, "control.tcp.listen: {} is no address", options.address);
  const HttpState::Tcp::endpoint endpoint(address, options.port);
  state.tcp.open(endpoint.protocol(), error);
  if (!error) state.tcp.set_option(HttpState::Tcp::acceptor::reuse_address(true), error);
  if (!error) state.tcp.bind(endpoint, error);
  if (!error) state.tcp.listen(64, error);
  if (!error) return {};
  const Errc code = error == asio::error::address_in_use ? Errc::conflict : Errc::system;
  return fail(code, "cannot listen at {} port {}: {}", options.address, options.port, error.message());
}

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::listen(asio::io_context& loop, Clock& clock,
                                                       HttpOptions options, Router router) {
  auto file = ListeningSocket::open(options.socket, options.group);
  if (!file) return fail(file.error());
  auto state =
      std::make_shared<HttpState>(loop, clock, std::move(options), std::move(router), std::move(*file));
  if (state->options.tcp) {
    const Result<void> listening = listen_tcp(*state, *state->options.tcp);
    if (!listening) return fail(listening.error());
    asio::co_spawn(loop, accept_all(state, state->tcp), asio::detached);
  }
  asio::co_spawn(loop, accept_all(state, state->local), asio::detached);
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(state)));
}

HttpServer::~HttpServer() {
  state_->clock = nullptr;
  error_code ignored;
  state_->local.close(ignored);
  state_->tcp.close(ignored);
  for (const Peer& peer : state_->connections) {
    peer->wire.close();
    peer->wake();
  }
  state_->file.reset();
}

std::size_t HttpServer::connection_count() const { return state_->connections.size(); }

std::uint16_t HttpServer::tcp_port() const {
  error_code error;
  const auto endpoint = state_->tcp.local_endpoint(error);
  return error ? 0 : endpoint.port();
}

}  // namespace weft::daemon
