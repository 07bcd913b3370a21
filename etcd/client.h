#pragma once
// Client: asks etcd v3 by its JSON gateway. Blocks the thread that uses it, never for longer than the
// time-out once an endpoint: an endpoint that fails is left for the next one. A request may have been obeyed
// although nothing came back, and is then sent again elsewhere: transactions must be such that the second
// time changes nothing.
//
// Errors of all calls: `unavailable` when no endpoint answered, or none has a leader; `not_found` for a lease
// or a revision that is gone; `exhausted` when etcd is full; `invalid` when it refuses what was asked, or who
// asks; `malformed` for answers that are none; `cancelled`.

#include <memory>
#include <mutex>

#include "etcd/connection.h"
#include "etcd/messages.h"

namespace weft::etcd {

class Client {
 public:
  explicit Client(Options options) : options_(std::move(options)) {}

  Result<Range> range(const RangeRequest& request);
  Result<Committed> commit(const Transaction& transaction);
  Result<Lease> grant(std::int64_t seconds);
  /// Its seconds are 0 or less when it has ended.
  Result<Lease> keep_alive(std::int64_t lease);
  Result<void> revoke(std::int64_t lease);
  /// From any thread: what waits ends soon, and all that comes later fails.
  void cancel();
  /// The endpoint that answered last.
  std::string endpoint() const;
  const Options& options() const { return options_; }

 private:
  friend class Watch;
  Result<std::string> ask(const std::string& path, const std::string& body);
  Result<std::string> ask_here(const std::string& path, const std::string& body);
  Result<void> connect();
  Result<void> authenticate();
  void disconnect();

  const Options options_;
  std::size_t at_ = 0;  ///< Of the endpoints.
  std::string token_;
  mutable std::mutex mutex_;  ///< Of what follows.
  std::shared_ptr<Connection> connection_;
  bool cancelled_ = false;
};

}  // namespace weft::etcd
