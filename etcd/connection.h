#pragma once
// Connection: one HTTP connection to one endpoint of etcd, plain or by TLS. Its calls block the thread that
// makes them, but never beyond their deadline, and until cancel() at most: for threads that are there for
// etcd only. After any error it is of no use any more.

#include <memory>
#include <string>

#include "etcd/endpoint.h"

namespace weft::etcd {

struct Reply {
  unsigned status = 0;  ///< Of HTTP.
  std::string body;
};

class Connection {
 public:
  /// Errors: `unavailable` when nobody is there in time, or TLS does not come about; `invalid` for a file of
  /// the options that cannot be used; `cancelled`.
  static Result<std::unique_ptr<Connection>> open(const Endpoint& endpoint, const Options& options);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Posts JSON. `token`: of an authentication, or empty. Errors: `unavailable` when the connection breaks or
  /// nothing comes in time; `cancelled`.
  Result<Reply> post(const std::string& path, const std::string& body, const std::string& token,
                     Duration timeout);
  /// The same for an answer without end: returns when its head is there. A status other than 200 comes with
  /// its body.
  Result<Reply> open_stream(const std::string& path, const std::string& body, const std::string& token,
                            Duration timeout);
  /// The next line of the stream. Errors: `timeout` when none came in time, after which it goes on;
  /// `unavailable` when the stream has ended; `cancelled`.
  Result<std::string> next_line(Duration timeout);
  /// From any thread: what waits ends, and all that comes later fails.
  void cancel();

 private:
  class Impl;
  explicit Connection(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace weft::etcd
