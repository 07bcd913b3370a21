#pragma once
// Watch: what happens to all keys of a prefix, from a revision on, as etcd tells it; on a connection of its
// own, and for a thread of its own. Ends with any error; who wants to go on asks anew from the revision he
// has seen.

#include <memory>
#include <mutex>

#include "etcd/client.h"

namespace weft::etcd {

class Watch {
 public:
  explicit Watch(Options options) : client_(std::move(options)) {}

  /// Begins, at the next endpoint after a failure. Errors: as of Client.
  Result<void> open(std::string_view prefix, std::int64_t from_revision);
  /// What happened next. Errors: `timeout` when nothing did for so long; `not_found` when what was to be told
  /// has been compacted away; `unavailable` when the stream has broken; `cancelled`.
  Result<WatchNews> next(Duration timeout);
  /// From any thread.
  void cancel() { client_.cancel(); }

 private:
  Client client_;
};

}  // namespace weft::etcd
