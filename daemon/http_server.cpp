#include "daemon/http_server.h"

#include <unordered_set>

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

#include "daemon/http_socket.h"
#include "log/log.h"
#include "transport/real_clock.h"

namespace weft::daemon {

namespace beast = boost::beast;
namespace http = beast::http;
using Protocol = asio::local::stream_protocol;
using boost::system::error_code;

namespace detail {

struct Connection {
  explicit Connection(Protocol::socket s) : socket(std::move(s)) {}
  Protocol::socket socket;
  beast::flat_buffer buffer;
};

struct HttpState {
  HttpState(asio::io_context& l, Clock& c, HttpOptions o, Router r, ListeningSocket f)
      : loop(l),
        clock(&c),
        options(std::move(o)),
        router(std::move(r)),
        file(std::move(f)),
        acceptor(l, Protocol(), file->release()) {}

  asio::io_context& loop;
  Clock* clock;  // null once the server is gone: what is left must not use it
  HttpOptions options;
  Router router;
  std::optional<ListeningSocket> file;
  Protocol::acceptor acceptor;
  std::unordered_set<std::shared_ptr<Connection>> connections;

  bool closed() const { return clock == nullptr; }
};

}  // namespace detail

namespace {

using StatePtr = std::shared_ptr<detail::HttpState>;
using Peer = std::shared_ptr<detail::Connection>;

constexpr std::size_t kBodyPiece = 64u << 10;
constexpr std::size_t kLargestBody = 256u << 20;  // until the route, with its own limit, is known
constexpr std::size_t kUnwantedBody = 64u << 10;  // of a request that nobody serves

/// Closes the connection when time is up.
class Deadline {
 public:
  Deadline(StatePtr state, Duration wait, const Peer& peer) : state_(std::move(state)) {
    if (state_->closed()) return;
    timer_ = state_->clock->after(wait, [weak = std::weak_ptr(peer)] {
      const Peer still_there = weak.lock();
      error_code ignored;
      if (still_there) still_there->socket.close(ignored);
    });
  }
  ~Deadline() {
    if (!state_->closed()) state_->clock->cancel(timer_);
  }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

 private:
  StatePtr state_;
  Clock::TimerId timer_ = Clock::TimerId::none;
};

// --- requests

struct Read {
  bool ended = false;  ///< The peer is gone, or time is up.
  Request request;
  std::optional<Response> refusal;  ///< Sent instead of asking the router; the connection then ends.
  bool http_1_1 = true;
  bool keep_alive = false;
};

Read not_read(const error_code& error) {
  Read read;
  const auto& http_category = http::make_error_code(http::error::end_of_stream).category();
  read.ended = error == http::error::end_of_stream || error == http::error::partial_message ||
               error.category() != http_category;
  if (read.ended) return read;
  if (error == http::error::body_limit) {
    read.refusal = error_response(413, "too_large", "the request's body is too large");
  } else if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    read.refusal = error_response(431, "too_large", "the request's header is too large");
  } else {
    read.refusal =
        error_response(400, "malformed", fmt::format("this is no HTTP request: {}", error.message()));
  }
  return read;
}

Read refused(Response refusal) {
  Read read;
  read.refusal = std::move(refusal);
  return read;
}

/// Waits for one request. The header comes first, so that the limit of the body is that of the route.
asio::awaitable<Read> read_request(StatePtr state, Peer peer) {
  http::request_parser<http::string_body> parser;
  parser.header_limit(static_cast<std::uint32_t>(state->options.header_limit));
  parser.body_limit(kLargestBody);
  error_code error;
  {
    const Deadline deadline(state, state->options.idle, peer);
    co_await http::async_read_header(peer->socket, peer->buffer, parser,
                                     asio::redirect_error(asio::use_awaitable, error));
  }
  if (error) co_return not_read(error);

  const auto& header = parser.get();
  auto request = request_from_target({header.target().data(), header.target().size()});
  if (!request) co_return refused(error_response(400, "malformed", request.error().what));
  request->method = std::string(header.method_string());
  const Route* route = state->router.find(request->method, request->path);
  const std::size_t limit = route != nullptr ? route->body_limit : kUnwantedBody;
  if (parser.content_length().value_or(0) > limit) {
    co_return refused(
        error_response(413, "too_large", fmt::format("the request's body has more than {} bytes", limit)));
  }
  parser.body_limit(limit);
  {
    const Deadline deadline(state, state->options.transfer, peer);
    if (beast::iequals(header[http::field::expect], "100-continue")) {
      const std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
      const auto bytes = asio::buffer(go_on);
      co_await asio::async_write(peer->socket, bytes, asio::redirect_error(asio::use_awaitable, error));
    }
    co_await http::async_read(peer->socket, peer->buffer, parser,
                              asio::redirect_error(asio::use_awaitable, error));
  }
  if (error) co_return not_read(error);
  Read read;
  read.request = std::move(*request);
  read.request.body = std::move(parser.get().body());
  read.http_1_1 = parser.get().version() >= 11;
  read.keep_alive = parser.keep_alive();
  co_return read;
}

// --- responses

std::string header_text(const Response& response, bool keep_alive, bool chunked) {
  const auto reason = http::obsolete_reason(static_cast<http::status>(response.status));
  std::string text = fmt::format(
      "HTTP/1.1 {} {}\r\nServer: weftd\r\nContent-Type: {}\r\nCache-Control: no-store\r\nConnection: {}\r\n",
      response.status, std::string_view(reason.data(), reason.size()), response.type,
      keep_alive ? "keep-alive" : "close");
  if (chunked) text += "Transfer-Encoding: chunked\r\n";
  if (!response.more) text += fmt::format("Content-Length: {}\r\n", response.body.size());
  return text + "\r\n";
}

/// Answers whether all went out.
asio::awaitable<bool> send_bytes(StatePtr state, Peer peer, asio::const_buffer bytes) {
  const Deadline deadline(state, state->options.transfer, peer);
  error_code error;
  co_await asio::async_write(peer->socket, bytes, asio::redirect_error(asio::use_awaitable, error));
  co_return !error;
}

enum class Piece { some, last, broken };

Piece next_piece(const Response::More& more, std::string& out) {
  try {
    return more(out) ? Piece::some : Piece::last;
  } catch (const std::exception& error) {
    log::named("daemon")->error("answer broken off error=\"{}\"", error.what());
    return Piece::broken;  // the peer sees that the end is missing
  }
}

/// A body of unknown length. Without chunks (HTTP/1.0) its end is the end of the connection.
asio::awaitable<bool> send_pieces(StatePtr state, Peer peer, Response::More more, bool chunked) {
  for (;;) {
    std::string piece;
    const Piece kind = next_piece(more, piece);
    if (kind == Piece::broken) co_return false;
    std::string framed = std::move(piece);
    if (chunked && !framed.empty()) framed = fmt::format("{:x}\r\n{}\r\n", framed.size(), framed);
    if (chunked && kind == Piece::last) framed += "0\r\n\r\n";
    const bool sent = co_await send_bytes(state, peer, asio::buffer(framed));
    if (!sent || kind == Piece::last) co_return sent;
  }
}

asio::awaitable<bool> send_response(StatePtr state, Peer peer, Response response, bool http_1_1,
                                    bool keep_alive) {
  const bool chunked = response.more && http_1_1;
  std::string text = header_text(response, keep_alive, chunked);
  if (response.body.size() <= kBodyPiece) text += std::exchange(response.body, {});
  const bool begun = co_await send_bytes(state, peer, asio::buffer(text));
  if (!begun) co_return false;
  for (std::size_t at = 0; at < response.body.size(); at += kBodyPiece) {
    const auto piece =
        asio::buffer(response.body.data() + at, std::min(kBodyPiece, response.body.size() - at));
    const bool sent = co_await send_bytes(state, peer, piece);
    if (!sent) co_return false;
  }
  if (!response.more) co_return true;
  const bool finished = co_await send_pieces(state, peer, std::move(response.more), chunked);
  co_return finished;
}

// --- connections

asio::awaitable<void> serve(StatePtr state, Peer peer) {
  for (;;) {
    Read read = co_await read_request(state, peer);
    if (read.ended || state->closed()) break;
    Response response = read.refusal ? std::move(*read.refusal) : state->router.answer(read.request);
    const bool keep_alive = read.keep_alive && !(response.more && !read.http_1_1);
    const bool sent = co_await send_response(state, peer, std::move(response), read.http_1_1, keep_alive);
    if (!sent || !keep_alive) break;
  }
  error_code ignored;
  peer->socket.shutdown(Protocol::socket::shutdown_both, ignored);
  peer->socket.close(ignored);
  state->connections.erase(peer);
}

/// One short write that cannot block; if the peer does not take it, it sees the end of the connection alone.
void turn_away(Protocol::socket socket) {
  Response busy =
      error_response(503, "busy", "too many connections to the control socket", "try again in a moment");
  const std::string text = header_text(busy, false, false) + busy.body;
  error_code ignored;
  socket.non_blocking(true, ignored);
  socket.write_some(asio::buffer(text), ignored);
}

asio::awaitable<void> accept_all(StatePtr state) {
  while (!state->closed()) {
    error_code error;
    Protocol::socket socket(state->loop);
    co_await state->acceptor.async_accept(socket, asio::redirect_error(asio::use_awaitable, error));
    if (state->closed()) co_return;
    if (error) {
      log::named("daemon")->warn("control connection not accepted error=\"{}\"", error.message());
      co_await transport::sleep_for(*state->clock, std::chrono::milliseconds(100));
      continue;
    }
    if (state->connections.size() >= state->options.connections) {
      turn_away(std::move(socket));
      continue;
    }
    Peer peer = std::make_shared<detail::Connection>(std::move(socket));
    state->connections.insert(peer);
    asio::co_spawn(state->loop, serve(state, peer), asio::detached);
  }
}

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::listen(asio::io_context& loop, Clock& clock,
                                                       HttpOptions options, Router router) {
  auto file = ListeningSocket::open(options.socket, options.group);
  if (!file) return fail(file.error());
  auto state = std::make_shared<detail::HttpState>(loop, clock, std::move(options), std::move(router),
                                                   std::move(*file));
  asio::co_spawn(loop, accept_all(state), asio::detached);
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(state)));
}

HttpServer::~HttpServer() {
  state_->clock = nullptr;
  error_code ignored;
  state_->acceptor.close(ignored);
  for (const Peer& peer : state_->connections) peer->socket.close(ignored);
  state_->file.reset();
}

std::size_t HttpServer::connection_count() const { return state_->connections.size(); }

}  // namespace weft::daemon
