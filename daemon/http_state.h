#pragma once
// What the parts of HttpServer share: the listeners, the connections, and the deadlines over them.

#include <optional>
#include <unordered_set>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include "daemon/http_server.h"
#include "daemon/http_socket.h"
#include "daemon/http_wire.h"

namespace weft::daemon::detail {

struct Connection {
  Connection(Wire::Socket socket, asio::ssl::context* tls) : wire(std::move(socket), tls) {}
  Wire wire;
  boost::beast::flat_buffer buffer;
  std::optional<Caller> known;                     ///< Of a UNIX socket.
  std::string from;                                ///< Of TCP: the peer's address.
  transport::Completion<transport::Done> sleeper;  ///< Of a live answer that waits.
  bool gone = false;                               ///< The peer has sent more, or its end, meanwhile.

  void wake() {
    if (sleeper) sleeper(transport::Done{});
  }
};

using Peer = std::shared_ptr<Connection>;

struct HttpState {
  using Local = asio::local::stream_protocol;
  using Tcp = asio::ip::tcp;
  HttpState(asio::io_context& l, Clock& c, HttpOptions o, Router r, ListeningSocket f)
      : loop(l),
        clock(&c),
        options(std::move(o)),
        router(std::move(r)),
        access(socket_access(options.admin_group)),
        file(std::move(f)),
        local(l, Local(), file->release()),
        tcp(l) {}

  asio::io_context& loop;
  Clock* clock;  // null once the server is gone: what is left must not use it
  HttpOptions options;
  Router router;
  SocketAccess access;
  std::optional<ListeningSocket> file;
  Local::acceptor local;
  Tcp::acceptor tcp;
  std::optional<asio::ssl::context> tls;
  std::unordered_set<Peer> connections;
  std::size_t streams = 0;

  bool closed() const { return clock == nullptr; }
};

using StatePtr = std::shared_ptr<HttpState>;

/// Closes the connection when time is up.
class Deadline {
 public:
  Deadline(StatePtr state, Duration wait, const Peer& peer) : state_(std::move(state)) {
    if (state_->closed()) return;
    timer_ = state_->clock->after(wait, [weak = std::weak_ptr(peer)] {
      const Peer still_there = weak.lock();
      if (still_there) still_there->wire.close();
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

/// One request, or why there is none.
struct Read {
  bool ended = false;  ///< The peer is gone, or time is up.
  Request request;
  std::optional<Response> refusal;  ///< Sent instead of asking the router; the connection then ends.
  bool http_1_1 = true;
  bool keep_alive = false;
};

asio::awaitable<Read> read_request(StatePtr state, Peer peer);
/// Answers whether all went out.
asio::awaitable<bool> send_response(StatePtr state, Peer peer, Response response, bool http_1_1,
                                    bool keep_alive);
std::string header_text(const Response& response, bool keep_alive, bool chunked);

}  // namespace weft::daemon::detail
