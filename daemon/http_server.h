#pragma once
// HttpServer: HTTP/1.1 on a UNIX stream socket, coroutines on the loop, one per connection. It knows sockets,
// limits and time-outs; what is answered stands in the Router. Answers above 64 kB go out piece by piece, so
// that other work of the loop runs between the pieces.

#include <chrono>
#include <memory>
#include <string>

#include "base/clock.h"
#include "daemon/http.h"
#include "transport/asio.h"

namespace weft::daemon {

struct HttpOptions {
  std::string socket = "/run/weft/weftd.sock";
  std::string
      group;  ///< May use the socket beside our own user; ignored, with a note, when it does not exist.
  std::size_t connections = 64;  ///< One more is told 503.
  std::size_t header_limit = 16u << 10;
  Duration idle = std::chrono::seconds(60);  ///< Between requests, until the next one's header is there.
  Duration transfer =
      std::chrono::seconds(30);  ///< For the body of a request, and for each piece of an answer.
};

namespace detail {
struct HttpState;
}

class HttpServer {
 public:
  /// Listens with mode 0660. A socket file that nobody listens on any more is replaced. `clock` must outlive
  /// the server. Errors: `conflict` when another daemon answers there; `invalid` for a path that is too long
  /// or some other file; `system` with the words of the operating system.
  static Result<std::unique_ptr<HttpServer>> listen(asio::io_context& loop, Clock& clock, HttpOptions options,
                                                    Router router);
  /// Closes all connections and removes the socket file, unless somebody else has taken its place.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::size_t connection_count() const;

 private:
  explicit HttpServer(std::shared_ptr<detail::HttpState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::HttpState> state_;  // shared with the coroutines, which may end after us
};

}  // namespace weft::daemon
