#pragma once
// HttpServer: HTTP/1.1 on a UNIX stream socket and, when asked for, on a TCP one, with TLS or without;
// coroutines on the loop, one per connection. It knows sockets, limits and time-outs, and who is at the other
// end; what is answered stands in the Router. Answers above 64 kB go out piece by piece, so that other work
// of the loop runs between the pieces.

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "daemon/http.h"
#include "daemon/http_access.h"
#include "transport/asio.h"

namespace weft::daemon {

struct TcpOptions {
  std::string address;  ///< Numeric.
  std::uint16_t port = 0;
  std::string cert;  ///< PEM files; empty: no TLS.
  std::string key;
  TokenAccess tokens;
};

struct HttpOptions {
  std::string socket = "/run/weft/weftd.sock";
  std::string
      group;  ///< May use the socket beside our own user; ignored, with a note, when it does not exist.
  std::string admin_group;  ///< May change things there, beside root and our own user.
  std::optional<TcpOptions> tcp;
  std::size_t connections = 64;  ///< One more is told 503.
  std::size_t streams = 32;      ///< Of these, with an answer that goes on; one more is told 503.
  std::size_t header_limit = 16u << 10;
  Duration idle = std::chrono::seconds(60);  ///< Between requests, until the next one's header is there.
  Duration transfer = std::chrono::seconds(
      30);  ///< For a handshake, for the body of a request, and for each piece of an answer.
  Duration beat = std::chrono::seconds(10);  ///< Live::beat is sent after this long without anything else.
};

namespace detail {
struct HttpState;
}

class HttpServer {
 public:
  /// Listens with mode 0660. A socket file that nobody listens on any more is replaced. `clock` must outlive
  /// the server. Errors: `conflict` when another daemon answers there, or another program has the TCP port;
  /// `invalid` for a path that is too long or some other file, and for a certificate that cannot be used;
  /// `system` with the words of the operating system.
  static Result<std::unique_ptr<HttpServer>> listen(asio::io_context& loop, Clock& clock, HttpOptions options,
                                                    Router router);
  /// Closes all connections and removes the socket file, unless somebody else has taken its place.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::size_t connection_count() const;
  /// The TCP port listened at; 0 without one.
  std::uint16_t tcp_port() const;

 private:
  explicit HttpServer(std::shared_ptr<detail::HttpState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::HttpState> state_;  // shared with the coroutines, which may end after us
};

}  // namespace weft::daemon
