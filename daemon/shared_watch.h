#pragma once
// SharedWatch: a standby's live copy of the shared rows: reads them once, then follows what etcd tells of
// them, on a thread of its own; reads them anew when it has missed something. A change counts when its marker
// has come.

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "daemon/shared_keys.h"
#include "etcd/watch.h"

namespace weft::daemon {

/// The rows as they were whole last.
struct RowsCopy {
  Marker marker;
  std::map<std::string, std::string> rows;
};

class SharedWatch {
 public:
  SharedWatch(etcd::Options options, std::string prefix);
  ~SharedWatch();
  SharedWatch(const SharedWatch&) = delete;
  SharedWatch& operator=(const SharedWatch&) = delete;

  /// Nothing before there was a whole state to read.
  std::optional<RowsCopy> copy() const;

 private:
  void run();
  Result<std::int64_t> read();
  Result<void> follow(std::int64_t revision);
  Result<void> take(const etcd::WatchNews& news);
  bool stopped() const;

  const std::string prefix_;
  etcd::Client client_;
  etcd::Watch watch_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  std::optional<RowsCopy> copy_;
  /// Changes whose marker has not come; the thread's own.
  std::map<std::string, std::optional<std::string>> pending_;
  std::thread thread_;
};

/// All rows below this prefix, by the rest of their key, as they were at a revision; 0: now. Errors: those of
/// etcd.
Result<std::map<std::string, std::string>> read_rows(etcd::Client& client, const std::string& prefix,
                                                     std::int64_t revision);

}  // namespace weft::daemon
